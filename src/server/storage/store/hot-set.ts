import { Fifo } from "../../../base/fifo.js";

/** Something whose derived forms can be dropped and made again. */
export interface Coolable {
  /** What the derived forms cost, estimated by the bytes they come from. */
  readonly weight: number;
  /** Where it stands with its hot set, which alone changes it: outside, inside, or used since it was last looked at. */
  heat: "cold" | "warm" | "hot";
  /** Drops the derived forms. */
  cool(): void;
}

/**
 * Those of many that were used lately: when they weigh more than `capacity` bytes, the oldest that was not used since it was
 * last looked at is told to drop what it holds. Using one again costs a mark.
 */
export class HotSet<T extends Coolable> {
  readonly #members = new Fifo<T>();
  #weight = 0;

  constructor(private readonly capacity: number) {}

  touch(member: T): void {
    if (member.heat !== "cold") {
      member.heat = "hot";
      return;
    }
    const { weight } = member;
    while (this.#weight + weight > this.capacity && this.#members.length > 0) this.#turn();
    member.heat = "warm";
    this.#members.push(member);
    this.#weight += weight;
  }

  /** The oldest starts again at the end when it was used, and leaves when it was not. */
  #turn(): void {
    const oldest = this.#members.shift();
    if (oldest === undefined) return;
    if (oldest.heat === "hot") {
      oldest.heat = "warm";
      this.#members.push(oldest);
      return;
    }
    this.#weight -= oldest.weight;
    oldest.heat = "cold";
    oldest.cool();
  }
}
