import { own } from "../../base/collections/own.js";

/** The stability of a metric: how long Kubernetes promises to keep it. */
export type Stability = "INTERNAL" | "ALPHA" | "BETA" | "STABLE";

/** The definition of one metric: its name, its labels and its help. */
export interface FamilyDefinition {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  /** In the order in which a recorder passes their values. Default: none. */
  readonly labels?: readonly string[];
  /** Upper bounds of a histogram's buckets, ascending, without infinity. */
  readonly buckets?: readonly number[];
  /** Left out: the metric is none of Kubernetes', and its help has no prefix. */
  readonly stability?: Stability;
  /** The version of Kubernetes that deprecated the metric: "1.34.0". */
  readonly deprecated?: string;
  /** The version of Kubernetes that has the metric first: "1.37". */
  readonly since?: string;
  /** The first version of Kubernetes without the metric. */
  readonly removed?: string;
  /** What is otherwise since a version of Kubernetes. */
  readonly changed?: Partial<Pick<FamilyDefinition, "labels" | "buckets" | "stability" | "deprecated">> & {
    readonly version: string;
  };
}

/** The values that labels may have: any other value becomes {@link UNEXPECTED}. */
export type AllowedValues = Readonly<Record<string, ReadonlySet<string>>>;

/** The value with which component-base replaces label values that are not allowed. */
export const UNEXPECTED = "unexpected";

/** So many combinations of label values a metric may have; later ones are counted as {@link UNEXPECTED}, so that no client fills the memory. */
const MOST_SERIES = 10_000;

/** Parts the values of labels in a key. No label's value has it: the server's words and validated names do not. */
const SEPARATOR = "\u0001";

/**
 * The values of one metric for all combinations of its labels. A counter or a gauge has one number for each, a histogram a count for each
 * bucket, one for what is beyond all bounds, and the sum.
 */
export class Family {
  readonly definition: FamilyDefinition;
  /** How many numbers a series has. */
  readonly stride: number;
  #numbers: Float64Array;
  readonly #series = new Map<string, number>();
  /** The values of the labels of each series. */
  readonly #labels: (readonly string[])[] = [];
  readonly #bounds: readonly number[];
  readonly #allowed: AllowedValues | undefined;
  readonly #onUnexpected: () => void;

  constructor(definition: FamilyDefinition, allowed?: AllowedValues, onUnexpected: () => void = () => {}) {
    this.definition = definition;
    this.#bounds = definition.type === "histogram" ? (definition.buckets ?? DEFAULT_BUCKETS) : [];
    this.stride = definition.type === "histogram" ? this.#bounds.length + 2 : 1;
    this.#numbers = new Float64Array(this.stride * 4);
    this.#allowed = allowed;
    this.#onUnexpected = onUnexpected;
  }

  get bounds(): readonly number[] {
    return this.#bounds;
  }

  /** How many combinations of label values there are. */
  get size(): number {
    return this.#labels.length;
  }

  /** The series of these label values, made at its first use. Hold it to record without a look-up, until {@link clear}. */
  series(...values: readonly string[]): number {
    const key = values.join(SEPARATOR);
    return this.#series.get(key) ?? this.#add(key, values);
  }

  /** Adds to a counter or a gauge. */
  add(series: number, value = 1): void {
    const at = series * this.stride;
    this.#numbers[at] = (this.#numbers[at] ?? 0) + value;
  }

  /** Sets a gauge. */
  set(series: number, value: number): void {
    this.#numbers[series * this.stride] = value;
  }

  /** Adds a value to a histogram. */
  observe(series: number, value: number): void {
    const bounds = this.#bounds;
    let place = 0;
    while (place < bounds.length && value > (bounds[place] ?? 0)) place++;
    const at = series * this.stride;
    const sum = at + this.stride - 1;
    this.#numbers[at + place] = (this.#numbers[at + place] ?? 0) + 1;
    this.#numbers[sum] = (this.#numbers[sum] ?? 0) + value;
  }

  /** Takes over a distribution that was measured elsewhere: `counts` for each bucket and for what is beyond all bounds, not cumulative. */
  replace(series: number, counts: readonly number[], sum: number): void {
    const at = series * this.stride;
    for (let place = 0; place < this.stride - 1; place++) this.#numbers[at + place] = counts[place] ?? 0;
    this.#numbers[at + this.stride - 1] = sum;
  }

  /** The values of the labels of a series, in the order of the definition. */
  labelsOf(series: number): readonly string[] {
    return this.#labels[series] ?? [];
  }

  /** The numbers of a series. They change with later measurements. */
  numbersOf(series: number): Float64Array {
    return this.#numbers.subarray(series * this.stride, (series + 1) * this.stride);
  }

  /** Forgets all series. Those that recorders hold must not be used any more. */
  clear(): void {
    this.#series.clear();
    this.#labels.length = 0;
    this.#numbers.fill(0);
  }

  #add(key: string, given: readonly string[]): number {
    const values = this.#constrained(given);
    const constrained = values.join(SEPARATOR);
    // The values that were constrained are not kept: there may be any number of them.
    const known = constrained === key ? undefined : this.#series.get(constrained);
    if (known !== undefined) return known;
    const series = this.#labels.push(values) - 1;
    this.#series.set(constrained, series);
    if ((series + 1) * this.stride > this.#numbers.length) {
      const larger = new Float64Array(this.#numbers.length * 2);
      larger.set(this.#numbers);
      this.#numbers = larger;
    }
    return series;
  }

  #constrained(values: readonly string[]): readonly string[] {
    const names = this.definition.labels ?? [];
    if (this.#labels.length >= MOST_SERIES) {
      this.#onUnexpected();
      return names.map(() => UNEXPECTED);
    }
    if (this.#allowed === undefined) return names.map((_, index) => values[index] ?? "");
    return names.map((name, index) => {
      const value = values[index] ?? "";
      const allowed = own(this.#allowed ?? {}, name);
      if (allowed === undefined || allowed.has(value)) return value;
      this.#onUnexpected();
      return UNEXPECTED;
    });
  }
}

/** The bounds of buckets in seconds, as in Prometheus' client library for Go. */
export const DEFAULT_BUCKETS: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** `count` bounds, each `factor` times the one before. */
export function exponentialBuckets(start: number, factor: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => Number((start * factor ** index).toPrecision(12)));
}
