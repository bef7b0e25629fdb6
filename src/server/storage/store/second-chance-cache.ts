import { Fifo } from "../../../base/collections/fifo.js";

/** A cache entry whose derived forms can be dropped and rebuilt. */
export interface Evictable {
  /** The cost of the derived forms, estimated from the bytes they come from. */
  readonly weight: number;
  /**
   * The entry's state in its cache, which only the cache changes: not cached, cached, or used since the cache last visited
   * it.
   */
  residency: "out" | "in" | "used";
  /** Drops the derived forms. */
  evict(): void;
}

/**
 * An LRU cache with second chances (the CLOCK algorithm). When the entries weigh more than `capacity` bytes, it evicts the
 * oldest one that was not used since the last visit. Using an entry again only sets a mark.
 */
export class SecondChanceCache<T extends Evictable> {
  readonly #members = new Fifo<T>();
  #weight = 0;

  constructor(private readonly capacity: number) {}

  touch(member: T): void {
    if (member.residency !== "out") {
      member.residency = "used";
      return;
    }
    const { weight } = member;
    while (this.#weight + weight > this.capacity && this.#members.length > 0) this.#visitOldest();
    member.residency = "in";
    this.#members.push(member);
    this.#weight += weight;
  }

  /** Visits the oldest entry: a used one moves to the end, another is evicted. */
  #visitOldest(): void {
    const oldest = this.#members.shift();
    if (oldest === undefined) return;
    if (oldest.residency === "used") {
      oldest.residency = "in";
      this.#members.push(oldest);
      return;
    }
    this.#weight -= oldest.weight;
    oldest.residency = "out";
    oldest.evict();
  }
}
