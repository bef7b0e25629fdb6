/** A priority level among those that share seats. */
export interface ShareOfSeats {
  /** What it gets in proportion to the others' targets, within its bounds. Not below `lowest`. */
  readonly target: number;
  readonly lowest: number;
  readonly highest: number;
}

/** The seats of each level, in their order, and the proportion of the targets by which they were divided. */
export interface Division {
  readonly seats: readonly number[];
  readonly proportion: number;
}

/** A smaller target counts as this, so that all proportions are finite. */
const LEAST_TARGET = 0.001;
/** Sums that differ by less are equal. */
const TOLERANCE = 1e-7;

/**
 * Divides `seats`: each level gets the same multiple of its target, the fair proportion, or the bound that this would cross. Throws where the
 * bounds leave no such division. Source: KEP-1040, "Dispatching"; kube-apiserver's computeConcurrencyAllocation.
 */
export function allocateSeats(seats: number, levels: readonly ShareOfSeats[]): Division {
  checkBounds(seats, levels);
  if (seats === 0) return { seats: levels.map(() => 0), proportion: 0 };
  const least = sumOf(levels, ({ lowest }) => lowest);
  if (least - seats > -TOLERANCE) {
    const proportion = Math.min(...levels.map((level) => level.lowest / targetOf(level)));
    return { seats: levels.map(({ lowest }) => lowest), proportion };
  }
  if (seats - sumOf(levels, ({ highest }) => highest) > -TOLERANCE) {
    const proportion = Math.max(...levels.map((level) => level.highest / targetOf(level)));
    return { seats: levels.map(({ highest }) => highest), proportion };
  }
  const proportion = fairProportion(seats, levels);
  return { seats: levels.map((level) => allocation(level, proportion)), proportion };
}

/** The proportion at which the allocations sum to `seats`. Their sum is linear between two proportions at which a bound begins or ends to hold. */
function fairProportion(seats: number, levels: readonly ShareOfSeats[]): number {
  const turns = levels.flatMap((level) => [level.lowest / targetOf(level), level.highest / targetOf(level)]);
  turns.sort((a, b) => a - b);
  const total = (proportion: number): number => sumOf(levels, (level) => allocation(level, proportion));
  // The first turn at which the sum is reached; it is reached at the last one.
  let [low, high] = [0, turns.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (total(turns[middle] ?? 0) >= seats) high = middle;
    else low = middle + 1;
  }
  const [before, after] = [turns[low - 1] ?? 0, turns[low] ?? 0];
  const [reached, beyond] = [total(before), total(after)];
  return reached >= seats || beyond === reached
    ? after
    : before + ((seats - reached) / (beyond - reached)) * (after - before);
}

const allocation = (level: ShareOfSeats, proportion: number): number =>
  Math.max(level.lowest, Math.min(level.highest, proportion * targetOf(level)));

const targetOf = ({ target }: ShareOfSeats): number => Math.max(target, LEAST_TARGET);

function checkBounds(seats: number, levels: readonly ShareOfSeats[]): void {
  if (seats < 0) throw new Error(`${seats} seats cannot be divided`);
  for (const { target, lowest, highest } of levels) {
    if (lowest < 0) throw new Error(`the lower bound ${lowest} is negative`);
    if (target < lowest) throw new Error(`the target ${target} is below its lower bound ${lowest}`);
    if (highest < lowest) throw new Error(`the upper bound ${highest} is below the lower bound ${lowest}`);
  }
  const least = sumOf(levels, ({ lowest }) => lowest);
  if (least - seats > TOLERANCE) throw new Error(`the lower bounds sum to ${least}, which is more than ${seats}`);
  const most = sumOf(levels, ({ highest }) => highest);
  if (seats - most > TOLERANCE) throw new Error(`the upper bounds sum to ${most}, which is less than ${seats}`);
}

const sumOf = (levels: readonly ShareOfSeats[], value: (level: ShareOfSeats) => number): number =>
  levels.reduce((sum, level) => sum + value(level), 0);
