import type { BytePipe } from "../../byte-pipe.js";
import type { OutputTarget } from "../program.js";
import type { FunctionDefinition } from "./parse/syntax.js";
import type { ShellArray, Variables } from "./variables.js";

/** What a descriptor leads to. An input without a pipe is that of the shell's process. */
export type Descriptor = { readonly input: BytePipe | undefined } | { readonly output: OutputTarget };

/** Where a command of a shell reads and writes. `exec` changes them for the commands that follow. */
export interface ShellStreams {
  /** True once what the output goes to takes no more; commands that follow do not begin. */
  readonly isBroken?: () => boolean;
  stdin: BytePipe | undefined;
  stdout: OutputTarget;
  stderr: OutputTarget;
  /** Descriptors from 3 on. */
  others?: ReadonlyMap<number, Descriptor>;
}

/** What `set -o` names. */
export const OPTIONS = {
  allexport: "a",
  errexit: "e",
  noglob: "f",
  noexec: "n",
  nounset: "u",
  xtrace: "x",
  noclobber: "C",
  pipefail: "",
} as const;

export type ShellOption = keyof typeof OPTIONS;

/** What a function's local variables were before it, by name. */
export type LocalScope = Map<string, { readonly value: string | ShellArray | undefined; readonly isExported: boolean }>;

/** What a subshell has a copy of. */
export interface ShellState {
  readonly variables: Variables;
  readonly exported: Set<string>;
  readonly constants: Set<string>;
  readonly functions: Map<string, FunctionDefinition>;
  readonly options: Set<ShellOption>;
  /** What shopt has set. */
  readonly shopts: Set<"nullglob" | "inherit_errexit">;
  /** The permissions that files lack which redirections make. */
  umask: number;
  /** One for each function that runs. */
  readonly scopes: LocalScope[];
  positional: readonly string[];
  cwd: string;
  status: number;
  /** The codes of the last pipeline. */
  pipeStatus: readonly number[];
}
