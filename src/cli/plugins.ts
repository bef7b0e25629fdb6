import { accessSync, constants, statSync } from "node:fs";
import { posix, win32 } from "node:path";
import type { CommandEntry } from "./command.js";
import { ExitError } from "./errors.js";
import type { Host } from "./connect/host.js";

export interface Plugin {
  readonly file: string;
  readonly args: readonly string[];
}

/** Names that are never looked for on PATH. */
const OWN = new Set(["help", "__complete", "__completeNoDesc"]);

/**
 * Finds the program `kubectl-<words>` on PATH for a command line that names no command: the longest run of leading words wins, `-` in a word
 * is `_` in the file's name, and the other words are passed on. The name has at least `least` words. @throws when flags stand before the
 * first word, as kubectl does
 */
export function findPlugin(
  argv: readonly string[],
  host: Pick<Host, "env" | "platform">,
  least = 1,
): Plugin | undefined {
  const firstWord = argv.find((argument) => !argument.startsWith("-"));
  if (firstWord !== undefined && OWN.has(firstWord)) return undefined;
  const firstFlag = argv.findIndex((argument) => argument.startsWith("-"));
  const words = argv.slice(0, firstFlag < 0 ? argv.length : firstFlag).map((word) => word.replaceAll("-", "_"));
  if (words.length === 0) {
    throw new ExitError(1, `Error: flags cannot be placed before plugin name: ${argv[0] ?? ""}`);
  }
  for (let count = words.length; count >= least; count--) {
    const file = findOnPath(`kubectl-${words.slice(0, count).join("-")}`, host);
    if (file !== undefined) return { file, args: argv.slice(count) };
  }
  return undefined;
}

/** Whether a plugin of the same name replaces the command in a program of this name. */
export const yieldsToPlugins = ({ yields }: CommandEntry, program: string): boolean =>
  yields === true && program === "kubectl";

/** Whether a plugin on PATH replaces the command. */
export const isReplaced = (entry: CommandEntry, host: Pick<Host, "program" | "env" | "platform">): boolean =>
  yieldsToPlugins(entry, host.program) && findPlugin([entry.name], host) !== undefined;

/** Returns the tree without the commands that plugins replace. */
export const withoutReplaced = (
  { children, ...root }: CommandEntry,
  host: Pick<Host, "program" | "env" | "platform">,
): CommandEntry => ({
  ...root,
  ...(children !== undefined && { children: children.filter((child) => !isReplaced(child, host)) }),
});

/** Returns the file that a shell would run under that name. */
export function findOnPath(name: string, { env, platform }: Pick<Host, "env" | "platform">): string | undefined {
  if (name.includes("/")) return undefined;
  const { delimiter, join } = platform === "win32" ? win32 : posix;
  const suffixes = platform === "win32" ? (env["PATHEXT"] ?? ".COM;.EXE;.BAT;.CMD").split(";") : [""];
  const path = env["PATH"] ?? "";
  for (const folder of path === "" ? [] : path.split(delimiter)) {
    // An empty entry is the folder one is in.
    const file = suffixes.map((suffix) => join(folder || ".", name + suffix)).find(isExecutable);
    if (file !== undefined) return file;
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
