/** Something whose derived forms can be dropped and made again. */
export interface Coolable {
  /** What the derived forms cost, estimated by the bytes they come from. */
  readonly weight: number;
  /** Drops the derived forms. */
  cool(): void;
}

/** The most recently used of many: those beyond `capacity` bytes are told to drop what they hold. */
export class HotSet<T extends Coolable> {
  readonly #members = new Set<T>();
  #weight = 0;

  constructor(private readonly capacity: number) {}

  touch(member: T): void {
    if (this.#members.delete(member)) {
      this.#members.add(member);
      return;
    }
    this.#members.add(member);
    this.#weight += member.weight;
    for (const oldest of this.#members) {
      if (this.#weight <= this.capacity || oldest === member) return;
      this.#members.delete(oldest);
      this.#weight -= oldest.weight;
      oldest.cool();
    }
  }
}
