import { type Random, systemRandom } from "../../base/numbers/random.js";
import { type Timers, workTimers } from "../../base/time/timers.js";

/** What a program of a control plane waits and draws lots by. Its timers keep the process alive while the API server is away. */
export const processTimers: Timers = workTimers;
export const processRandom: Random = systemRandom;
