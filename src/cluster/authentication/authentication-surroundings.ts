import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import type { Timers } from "../../base/timers.js";
import type { Environment } from "../../client/surroundings.js";
import type { ProcessHosts } from "../../client/transport/dial.js";
import type { FileFaults } from "../file-faults.js";

/** What authenticators use of their server and its process. */
export interface AuthenticationSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly env: Environment;
  /** Hosts of this process, which no webhook's address leads past. Left out: there are none. */
  readonly hosts?: ProcessHosts | undefined;
  readonly report: (error: unknown) => void;
  readonly faults: FileFaults;
}
