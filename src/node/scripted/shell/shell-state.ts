import type { BytePipe } from "../../byte-pipe.js";
import type { OutputTarget } from "../program.js";
import type { FunctionDefinition } from "./parse/syntax.js";
import type { ShellArray, Variables } from "./variables.js";

/** The target of a descriptor. An input without a pipe is that of the shell's process. */
export type Descriptor = { readonly input: BytePipe | undefined } | { readonly output: OutputTarget };

/** The streams of a shell's commands. `exec` changes them for the following commands. */
export interface ShellStreams {
  /** True once what the output goes to takes no more; commands that follow do not begin. */
  readonly isBroken?: () => boolean;
  stdin: BytePipe | undefined;
  stdout: OutputTarget;
  stderr: OutputTarget;
  /** Descriptors from 3 on. */
  others?: ReadonlyMap<number, Descriptor>;
}

/** The options of `set -o`, with their letters. */
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

/** Switches of shopt that make a difference here. */
export const SWITCHES = ["nullglob", "inherit_errexit", "expand_aliases"] as const;

export type ShellSwitch = (typeof SWITCHES)[number];

/** The values that a function's local variables had before the call, by name. */
export type LocalScope = Map<string, { readonly value: string | ShellArray | undefined; readonly isExported: boolean }>;

/** The state of a shell that a subshell copies. */
export interface ShellState {
  readonly variables: Variables;
  readonly exported: Set<string>;
  readonly constants: Set<string>;
  readonly functions: Map<string, FunctionDefinition>;
  /** Texts that stand for names of commands, where "expand_aliases" is set. */
  readonly aliases: Map<string, string>;
  readonly options: Set<ShellOption>;
  /** What shopt has set. */
  readonly shopts: Set<ShellSwitch>;
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
