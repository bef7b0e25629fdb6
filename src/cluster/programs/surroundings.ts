import { type Random, systemRandom } from "../../base/numbers/random.js";
import { type Timers, workTimers } from "../../base/time/timers.js";

/** The timers of a control plane's program. They keep the process alive while the API server is unreachable. */
export const processTimers: Timers = workTimers;
export const processRandom: Random = systemRandom;
