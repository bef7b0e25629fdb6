/** One write of the plan; `revision` is the one it must get when every write before it was accepted. */
export interface PlannedWrite {
  readonly type: "create" | "update" | "delete";
  readonly key: string;
  readonly value: string;
  readonly revision: number;
  /** Of the key before this write; 0 for none. */
  readonly expected: number;
}

export type PlannedState = ReadonlyMap<string, { readonly value: string; readonly revision: number }>;

/** A stream of valid writes that two processes can compute alike from a seed. */
export class Plan {
  readonly #state = new Map<string, { value: string; revision: number }>();
  #revision = 1;
  #random: number;

  constructor(seed: number) {
    this.#random = seed;
  }

  get state(): PlannedState {
    return this.#state;
  }

  get revision(): number {
    return this.#revision;
  }

  next(): PlannedWrite {
    const key = `/registry/things/${this.#below(40)}`;
    const current = this.#state.get(key);
    const revision = ++this.#revision;
    const type = current === undefined ? "create" : this.#below(10) < 3 ? "delete" : "update";
    const value = `${revision}:${"x".repeat(this.#below(1500))}`;
    if (type === "delete") this.#state.delete(key);
    else this.#state.set(key, { value, revision });
    return { type, key, value, revision, expected: current?.revision ?? 0 };
  }

  /** The state after `revision`, and every write up to it. */
  static upTo(seed: number, revision: number): { state: PlannedState; writes: readonly PlannedWrite[] } {
    const plan = new Plan(seed);
    const writes: PlannedWrite[] = [];
    while (plan.revision < revision) writes.push(plan.next());
    return { state: plan.state, writes };
  }

  #below(limit: number): number {
    this.#random = (Math.imul(this.#random, 1664525) + 1013904223) >>> 0;
    return Math.floor((this.#random / 2 ** 32) * limit);
  }
}
