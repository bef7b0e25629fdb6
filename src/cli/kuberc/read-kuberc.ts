import { readFileSync } from "node:fs";
import { posix, win32 } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import type { CommandEntry } from "../command.js";
import { ExitError } from "../errors.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import type { Host } from "../connect/host.js";

/** The preferences file of one command line, read but not parsed. */
export interface KubercFile {
  /** The path as messages show it. */
  readonly path: string;
  /** True when the user named the file by flag or environment: then it must exist and be valid. */
  readonly explicit: boolean;
  readonly content: Content;
}

/** The text of the file, or Node's error. The caller turns it into Go's text, so that this module, which every start loads, stays small. */
export interface Content {
  readonly text?: string;
  readonly error?: unknown;
}

export interface KubercPlace {
  readonly path: string;
  readonly explicit: boolean;
}

type Surroundings = Pick<Host, "env" | "cwd" | "platform">;

/** Returns whether KUBECTL_KUBERC=false turns the file, the flag and the command off. */
export const isKubercDisabled = (env: Host["env"]): boolean => env["KUBECTL_KUBERC"]?.toLowerCase() === "false";

export const withoutKuberc = <T extends FlagSpec | CommandEntry>(named: readonly T[]): readonly T[] =>
  named.filter(({ name }) => name !== "kuberc");

/** Adds the beginning of every error about preferences. */
export function kubercError(message: string): ExitError {
  return new ExitError(1, `error occurred while applying preferences ${message}`);
}

/**
 * Reads the preferences file of a command line; undefined without one. Every start calls it: it costs one attempt to read a file, and the
 * text is not parsed here. @throws an error about `--kuberc` itself
 */
export function readKuberc(argv: readonly string[], surroundings: Surroundings): KubercFile | undefined {
  if (argv.length === 0) return undefined;
  const place = placeFor(flagValue(argv), surroundings);
  if (place === undefined) return undefined;
  const content = readContent(place.path, surroundings.cwd);
  return isAbsent(content) && !place.explicit ? undefined : { ...place, content };
}

export function isAbsent({ error }: Content): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

export function readContent(path: string, cwd: string): Content {
  const file = posix.isAbsolute(path) || win32.isAbsolute(path) ? path : `${cwd}/${path}`;
  try {
    return { text: readFileSync(file, "utf8") };
  } catch (error) {
    return { error };
  }
}

/** Returns the path of the preferences: the flag's value, else KUBERC, else ~/.kube/kuberc. Undefined when KUBERC=off. */
export function kubercPlace(flag: string, { env, platform }: Omit<Surroundings, "cwd">): KubercPlace | undefined {
  const named = env["KUBERC"] ?? "";
  if (named === "off") {
    if (flag === "") return undefined;
    throw new Error("disabling kuberc via KUBERC=off and passing kuberc flag are mutually exclusive");
  }
  const { join } = platform === "win32" ? win32 : posix;
  const home = (platform === "win32" ? env["USERPROFILE"] : undefined) ?? env["HOME"] ?? "";
  const usual = join(home, ".kube", "kuberc");
  if (named !== "" && (flag === "" || flag === usual)) return { path: named, explicit: true };
  return flag === "" ? { path: usual, explicit: false } : { path: flag, explicit: true };
}

function placeFor(flag: string, surroundings: Surroundings): KubercPlace | undefined {
  try {
    return kubercPlace(flag, surroundings);
  } catch (error) {
    throw kubercError(`kuberc error ${errorMessage(error)}`);
  }
}

/** Flags are not read yet: the first word that looks like this one counts, as far as its second "=". */
function flagValue(argv: readonly string[]): string {
  for (const [index, argument] of argv.entries()) {
    if (argument === "--") break;
    const value =
      argument === "--kuberc"
        ? argv[index + 1]
        : argument.includes("--kuberc=")
          ? argument.split("=")[1] || undefined
          : "";
    if (value === undefined) throw kubercError("kuberc file is not found");
    if (value !== "") return value;
    // An empty word after the flag ends the search too.
    if (argument === "--kuberc") break;
  }
  return "";
}
