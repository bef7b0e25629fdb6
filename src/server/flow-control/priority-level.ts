import type { LevelLimits } from "./observer.js";
import type { LevelSpec } from "./level-spec.js";
import { QueueSet, type QueueSetSurroundings } from "./queue-set.js";
import { SeatDemand } from "./seat-demand.js";

/** The part of a level's seats that one request may occupy; kube-apiserver's. */
const SHARE_OF_REQUEST = 0.15;

/** A priority level at runtime: its settings, its seats and its queues. */
export class PriorityLevel {
  readonly queues: QueueSet;
  readonly demand: SeatDemand;
  /** A level whose object is gone ends when its requests have. */
  isQuiescing = false;
  /** How many seats a request may occupy at most; undefined: as many as any request may. */
  mostSeats: number | undefined;
  limits: LevelLimits = { nominal: 0, lowest: 0, highest: 0, current: 0 };
  #spec: LevelSpec;

  constructor(spec: LevelSpec, surroundings: QueueSetSurroundings) {
    this.#spec = spec;
    this.demand = new SeatDemand(surroundings.elapsed());
    this.queues = new QueueSet(spec.name, this.demand, surroundings);
  }

  get name(): string {
    return this.#spec.name;
  }

  get uid(): string {
    return this.#spec.uid;
  }

  get spec(): LevelSpec {
    return this.#spec;
  }

  /** Takes over what the object says now; {@link assign} makes it count. */
  update(spec: LevelSpec): void {
    this.#spec = spec;
    this.isQuiescing = false;
  }

  /** Takes its share of the server's seats, of which all levels have `allShares`. */
  share(seats: number, allShares: number, isNew: boolean): void {
    const { shares, lendablePercent, borrowingLimitPercent, queuing } = this.#spec;
    const nominal = allShares === 0 ? 0 : Math.ceil((seats * shares) / allShares);
    const lendable = Math.round((nominal * lendablePercent) / 100);
    const borrowing = borrowingLimitPercent === undefined ? seats : Math.round((nominal * borrowingLimitPercent) / 100);
    const current = isNew ? nominal - Math.floor(lendable / 2) : this.limits.current;
    this.limits = { nominal, lowest: nominal - lendable, highest: nominal + borrowing, current };
    if (queuing.queues === 0) return;
    this.mostSeats = Math.max(
      1,
      Math.min(Math.ceil(nominal * SHARE_OF_REQUEST), Math.floor(nominal / queuing.handSize)),
    );
  }

  /** Sets how many seats it has now. */
  assign(current: number): void {
    this.limits = { ...this.limits, current };
    this.queues.configure(this.#spec.queuing, this.#spec.isExempt ? Number.POSITIVE_INFINITY : current);
  }
}
