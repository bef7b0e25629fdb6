import type { Random } from "../../base/random.js";
import { uuid } from "../../base/uuid.js";
import { dns1123SubdomainErrors } from "../../machinery/validation/names.js";

/**
 * Names events as client-go does: "<object>.<nanoseconds in hexadecimal>", and a uuid where that is no name of an object. The
 * clock has no nanoseconds: a counter takes their place, and tells apart the events of one moment.
 */
export class EventNames {
  #made = 0n;

  constructor(private readonly random: Random) {}

  /** `now` is in milliseconds since the Unix epoch. */
  next(object: string, now: number): string {
    const nanoseconds = BigInt(Math.floor(now)) * 1_000_000n + (this.#made++ % 1_000_000n);
    const name = `${object}.${nanoseconds.toString(16)}`;
    return dns1123SubdomainErrors(name).length === 0 ? name : uuid(this.random);
  }
}
