import type { CommandFiles } from "../../base/files/command-files.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { PluginPolicy } from "../../client/auth/plugin-policy.js";
import type { ProcessHosts } from "../../client/transport/dial.js";
import type { Colours } from "../terminal/colour.js";
import type { RunProgram, Streams } from "./factory.js";

/** The parts of a process that one run of the program may use. Tests make their own. */
export interface Host {
  readonly program: string;
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly colours: Colours;
  readonly cwd: string;
  readonly files: CommandFiles;
  /** What requests reach in place of the machine's network. */
  readonly hosts?: ProcessHosts | undefined;
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
  /** True when this process runs only this command, which may then change global state. */
  readonly ownsProcess?: boolean;
  /** Called before a command runs, with its handling of signals and lost output. */
  readonly onCommand?: (command: CommandConduct) => void;
  /** Called when the command begins to handle signals itself. */
  readonly onHandlesSignals?: () => void;
}

/** The values of a command's `handlesSignals`, `ownExitCode` and `outputMustArrive` for one run. */
export interface CommandConduct {
  readonly handled: boolean;
  readonly ownExitCode: boolean | readonly NodeJS.Signals[];
  readonly outputMustArrive: boolean;
  readonly secondSignalCode?: number;
}
