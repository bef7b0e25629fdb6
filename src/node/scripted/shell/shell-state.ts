import type { BytePipe } from "../../byte-pipe.js";
import type { OutputTarget } from "../program.js";

/** Where a command of a shell reads and writes. */
export interface ShellStreams {
  /** True once what the output goes to takes no more; commands that follow do not begin. */
  readonly isBroken?: () => boolean;
  readonly stdin: BytePipe | undefined;
  readonly stdout: OutputTarget;
  readonly stderr: OutputTarget;
}

/** What a subshell has a copy of. */
export interface ShellState {
  readonly variables: Map<string, string>;
  readonly exported: Set<string>;
  positional: readonly string[];
  cwd: string;
  status: number;
  exitsOnError: boolean;
}

/** The state of a subshell: what it changes the shell does not see. */
export const copyOf = (state: ShellState): ShellState => ({
  ...state,
  variables: new Map(state.variables),
  exported: new Set(state.exported),
});
