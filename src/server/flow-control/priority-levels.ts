import { allocateSeats, type Division, type ShareOfSeats } from "./concurrency-allocation.js";
import { CATCH_ALL, EXEMPT, type LevelSpec } from "./level-spec.js";
import { PriorityLevel } from "./priority-level.js";
import type { QueueSetSurroundings } from "./queue-set.js";

/**
 * All priority levels, among which the server's seats are divided. Each level has its nominal share, and lends the seats that it
 * does not need, up to a limit, in proportion to the needs of the others. Source: KEP-1040.
 */
export class PriorityLevels {
  #levels: ReadonlyMap<string, PriorityLevel> = new Map();

  /** `seats` is how many the server has, without those of exempt requests. */
  constructor(
    private readonly seats: number,
    private readonly surroundings: QueueSetSurroundings,
    private readonly reportError: (error: unknown) => void,
  ) {}

  get(name: string): PriorityLevel | undefined {
    return this.#levels.get(name);
  }

  /** In the order of their names. */
  get all(): readonly PriorityLevel[] {
    return [...this.#levels.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Takes over the levels as they are stored now, beside `mandatory` ones. A level that is gone stays until its last request has ended. */
  settle(stored: readonly LevelSpec[], mandatory: readonly LevelSpec[]): void {
    const before = this.#levels;
    const levels = new Map<string, PriorityLevel>();
    for (const spec of stored) levels.set(spec.name, this.#updated(spec));
    for (const [name, level] of before) if (!levels.has(name) && this.#stays(level)) levels.set(name, level);
    for (const spec of mandatory) if (!levels.has(spec.name)) levels.set(spec.name, this.#updated(spec));
    this.#levels = levels;
    const shares = [...levels.values()].reduce((sum, { spec }) => sum + spec.shares, 0);
    for (const level of levels.values()) level.share(this.seats, shares, before.get(level.name) !== level);
    this.rebalance();
  }

  /** Divides the seats by what the levels have needed since the last time. */
  rebalance(): void {
    const levels = [...this.#levels.values()];
    const now = this.surroundings.elapsed();
    for (const { demand } of levels) demand.endPeriod(now);
    const limited = levels.filter(({ spec }) => !spec.isExempt);
    const nominal = levels.reduce((sum, { limits }) => sum + limits.nominal, 0);
    const exempt = levels.filter(({ spec }) => spec.isExempt);
    for (const level of exempt) this.#assign(level, lowestNow(level));
    const left = exempt.reduce((sum, { limits }) => sum - limits.current, nominal);
    const division = this.#divide(limited, left, nominal);
    this.surroundings.observer?.divided?.(division.proportion);
    for (const [index, seats] of division.seats.entries()) {
      const level = limited[index];
      if (level !== undefined) this.#assign(level, Math.round(seats));
    }
  }

  /** `left` is what exempt requests leave of the nominal seats: where that is too little, every level gets less than it needs. */
  #divide(levels: readonly PriorityLevel[], left: number, nominal: number): Division {
    const lowest = levels.reduce((sum, { limits }) => sum + limits.lowest, 0);
    const needed = levels.reduce((sum, level) => sum + lowestNow(level), 0);
    if (left <= lowest) return { seats: levels.map(({ limits }) => limits.lowest), proportion: 0 };
    if (left <= needed) {
      const part = (left - lowest) / (needed - lowest);
      const seatsOf = (level: PriorityLevel): number =>
        level.limits.lowest + Math.round((lowestNow(level) - level.limits.lowest) * part);
      return { seats: levels.map(seatsOf), proportion: 0 };
    }
    try {
      return allocateSeats(nominal, levels.map(shareOf));
    } catch (error) {
      this.reportError(error);
      return { seats: levels.map(({ limits }) => limits.current), proportion: 0 };
    }
  }

  #assign(level: PriorityLevel, seats: number): void {
    level.assign(seats);
    const { limits, demand, spec } = level;
    const { target } = shareOf(level);
    this.surroundings.observer?.limits?.(level.name, {
      limits,
      demand: demand.statistics,
      target,
      queuing: spec.queuing,
    });
  }

  #updated(spec: LevelSpec): PriorityLevel {
    const level = this.#levels.get(spec.name);
    if (level === undefined) return new PriorityLevel(spec, this.surroundings);
    level.update(spec);
    return level;
  }

  /** The mandatory levels stay as they were last. */
  #stays(level: PriorityLevel): boolean {
    if (level.name === EXEMPT || level.name === CATCH_ALL) return true;
    level.isQuiescing = true;
    if (!level.queues.isIdle) return true;
    this.surroundings.observer?.levelRemoved?.(level.name);
    return false;
  }
}

/** What a level needs at least: the most that it needed lately, not beyond its nominal seats, which its lendable seats bound from below. */
function lowestNow({ spec, limits, demand }: PriorityLevel): number {
  const { highest } = demand.statistics;
  return Math.max(limits.lowest, spec.isExempt ? highest : Math.min(limits.nominal, highest));
}

function shareOf(level: PriorityLevel): ShareOfSeats {
  const lowest = lowestNow(level);
  return { lowest, highest: level.limits.highest, target: Math.max(lowest, level.demand.statistics.smoothed) };
}
