import { readdirSync } from "node:fs";
import { posix, resolve, win32 } from "node:path";
import { compareKeys } from "../base/collections/key-order.js";
import { PathError } from "../base/files/path-error.js";
import type { Host } from "./connect/host.js";

export interface InstalledPlugins {
  /** Files named `kubectl-...`, in the order of PATH, then of the alphabet; whether they can be run is not looked at. */
  readonly files: readonly string[];
  /** Folders of PATH that cannot be read. */
  readonly unreadable: readonly { readonly folder: string; readonly error: PathError }[];
}

/** What of PATH looks like a plugin. */
export function installedPlugins({ env, cwd, platform }: Pick<Host, "env" | "cwd" | "platform">): InstalledPlugins {
  const { delimiter, join } = platform === "win32" ? win32 : posix;
  const folders = new Set((env["PATH"] ?? "").split(delimiter).filter((folder) => folder.trim() !== ""));
  const files: string[] = [];
  const unreadable: { folder: string; error: PathError }[] = [];
  for (const folder of folders) {
    try {
      files.push(...pluginNames(resolve(cwd, folder)).map((name) => join(folder, name)));
    } catch (error) {
      unreadable.push({ folder, error: new PathError("open", folder, error) });
    }
  }
  return { files, unreadable };
}

const pluginNames = (folder: string): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && entry.name.startsWith("kubectl-"))
    .map((entry) => entry.name)
    .sort(compareKeys);

/** The words on a command line that a plugin's file answers to: `kubectl-my_tool-sub` to "my-tool sub". */
export function pluginWords(file: string): readonly string[] {
  const [, ...parts] = file.slice(Math.max(file.lastIndexOf("/"), file.lastIndexOf("\\")) + 1).split("-");
  return parts.map((part) => part.replaceAll("_", "-"));
}
