import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { Environment } from "../../client/surroundings.js";
import type { EgressDialers, ProcessHosts } from "../../client/transport/dial.js";
import type { FileFaults } from "../reload/watch-files.js";

/** The parts of a server and of its process that authenticators use. */
export interface AuthenticationSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly env: Environment;
  /** Hosts of this process, which no webhook's address leads past. Left out: there are none. */
  readonly hosts?: ProcessHosts | undefined;
  /** The server's egress selections; undefined where it has none. */
  readonly egress?: EgressDialers | undefined;
  readonly report: (error: unknown) => void;
  /** Receives what the server goes on in spite of. */
  readonly warn: (warning: string) => void;
  /** Ends the start of the server when it aborts. */
  readonly signal?: AbortSignal | undefined;
  readonly faults: FileFaults;
}
