import type { Random } from "../../base/numbers/random.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import { uuid } from "../../base/numbers/uuid.js";
import { dns1123SubdomainErrors } from "../../machinery/validation/names.js";

const PER_MILLISECOND = 1_000_000;

/**
 * Names events as client-go does: "<object>.<nanoseconds in hexadecimal>", and a uuid where that is no name of an object. The
 * clock has no nanoseconds: a counter takes their place, and tells apart the events of one moment. It begins anywhere, so that two
 * sources name an event of one object at one moment differently.
 */
export class EventNames {
  #counter: number | undefined;

  constructor(private readonly random: Random) {}

  /** `now` is in milliseconds since the Unix epoch. */
  next(object: string, now: number): string {
    this.#counter = ((this.#counter ?? randomBelow(this.random, PER_MILLISECOND)) + 1) % PER_MILLISECOND;
    const nanoseconds = BigInt(Math.floor(now)) * BigInt(PER_MILLISECOND) + BigInt(this.#counter);
    const name = `${object}.${nanoseconds.toString(16)}`;
    return dns1123SubdomainErrors(name).length === 0 ? name : uuid(this.random);
  }
}
