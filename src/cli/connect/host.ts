import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { PluginPolicy } from "../../client/auth/plugin-policy.js";
import type { Colours } from "../terminal/colour.js";
import type { RunProgram, Streams } from "./factory.js";

/** What surrounds one run of the program: the parts of a process it may touch. Tests make their own. */
export interface Host {
  readonly program: string;
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly colours: Colours;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly clock: Clock;
  readonly random: Random;
  /** Shown in log lines. */
  readonly pid: number;
  readonly signal: AbortSignal;
  /** Runs a plugin in place of this program and returns its exit code. */
  readonly runPlugin: (file: string, args: readonly string[]) => Promise<number>;
  readonly runProgram: RunProgram;
  /** Which credential plugins the user's preferences let run. Default: all. */
  readonly pluginPolicy?: PluginPolicy;
  /** True: this process runs nothing but this command, which may change what is global. */
  readonly ownsProcess?: boolean;
  /** Told before a command runs what it does about signals and lost output. */
  readonly onCommand?: (command: CommandConduct) => void;
  /** Told that the command ends by itself at a signal from now on. */
  readonly onHandlesSignals?: () => void;
}

/** Of a command: what its `handlesSignals`, `ownExitCode` and `outputMustArrive` come to. */
export interface CommandConduct {
  readonly handled: boolean;
  readonly ownExitCode: boolean | readonly NodeJS.Signals[];
  readonly outputMustArrive: boolean;
}
