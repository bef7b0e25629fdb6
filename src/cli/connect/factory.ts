import type { Readable, Writable } from "node:stream";
import type { CommandFiles } from "../../base/files/command-files.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { PluginPolicy } from "../../client/auth/plugin-policy.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import type { Kubeconfig } from "../../client/config/kubeconfig.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import type { Discovery } from "../../client/discovery/discovery.js";
import type { OpenApi } from "../../client/openapi/openapi.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { ProcessHosts } from "../../client/transport/dial.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import type { Look } from "../../printers/look.js";
import type { Builder } from "../../resource/builder.js";
import type { Colours } from "../terminal/colour.js";

export interface Streams {
  readonly in: Readable & { readonly isTTY?: boolean };
  readonly out: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
  readonly err: Writable & { readonly isTTY?: boolean; readonly columns?: number; readonly rows?: number };
}

/** How another program ended. */
export interface ProgramEnd {
  /** -1 when a signal ended it. */
  readonly code: number;
  readonly signal?: string | undefined;
}

/**
 * Runs another program with this one's streams and environment, and waits for its end. Rejects with the system's error
 * when it cannot be started.
 */
export type RunProgram = (file: string, args: readonly string[]) => Promise<ProgramEnd>;

/**
 * Everything that a command may need from outside, each part made on first use and once. A test makes a factory with its own
 * streams, environment and clock. Take the parts in `complete`; do not pass the factory to `run`.
 */
export interface Factory {
  /** "kubectl" when run under that name (or KUBETS_PROGRAM says so), else "kubets". */
  readonly program: string;
  readonly streams: Streams;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Reads and writes what paths of the command line name. */
  readonly files: CommandFiles;
  readonly platform: NodeJS.Platform;
  /** Node's name of the processor: "x64". */
  readonly arch: string;
  readonly clock: Clock;
  /** What requests reach in place of the machine's network. */
  readonly hosts: ProcessHosts | undefined;
  /** Names temporary files and generated containers. */
  readonly random: Random;
  /** Shown in log lines. */
  readonly pid: number;
  /** Which credential plugins may run. Undefined: all. */
  readonly pluginPolicy: PluginPolicy | undefined;
  /** Editors, diff programs. */
  readonly runProgram: RunProgram;
  /** Which streams get colours. */
  readonly colours: Colours;
  /** How text on stdout is shown. */
  readonly look: Look;
  /** Undefined unless -v or --vmodule asks for lines. */
  log(): Promise<VerboseLog | undefined>;
  /** Returns the merged kubeconfig of the files, paths resolved, without the flags. */
  rawConfig(): Promise<Kubeconfig>;
  /** Returns the kubeconfig merged with the global flags; it is read once. */
  clientConfig(): Promise<ClientConfig>;
  /** Returns the current namespace, and whether -n was given (then a manifest's own namespace must match). */
  namespace(): Promise<{ readonly namespace: string; readonly enforced: boolean }>;
  restClient(): Promise<RestClient>;
  discovery(): Promise<Discovery>;
  mapper(): Promise<RestMapper>;
  openapi(): Promise<OpenApi>;
  builder(): Promise<Builder>;
  /**
   * Keeps the memory of the process flat from now on, if the process runs this command alone. Call it before gigabytes may pass through.
   */
  keepMemoryFlat(): Promise<void>;
}
