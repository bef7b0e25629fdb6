import { type AllowedValues, Family, type FamilyDefinition, type Stability } from "./family.js";
import type { MetricDescription, MetricLabels, MetricRegistry } from "./metric-registry.js";

/** The choice of the metrics that are shown. */
export interface MetricChoice {
  /** The values that labels may have, by "metric,label"; others become "unexpected". Default: any. */
  readonly allowedLabels?: Readonly<Record<string, readonly string[]>> | undefined;
  /** Names of metrics that are neither counted nor shown. */
  readonly disabled?: readonly string[] | undefined;
  /** Whether metrics are shown whose deprecation has run out. Default false. */
  readonly showsHidden?: boolean | undefined;
  /** The minor version of Kubernetes that deprecations are compared with. Default 36. */
  readonly minor?: number;
}

/** How many minor versions after its deprecation a metric is still shown. */
const SHOWN_FOR: Readonly<Record<Stability, number>> = { INTERNAL: 0, ALPHA: 0, BETA: 1, STABLE: 3 };

/** Metrics of one process or server. Recorders hold their {@link Family}; {@link read} returns all that have values. */
export class MetricTable implements MetricRegistry {
  readonly #families = new Map<string, Family>();
  readonly #muted = new Map<string, Family>();
  readonly #readers: (() => void | Promise<void>)[] = [];
  readonly #resetters: (() => void)[] = [];
  readonly #choice: MetricChoice;
  readonly #allowed: ReadonlyMap<string, AllowedValues>;
  /** The minor version of Kubernetes whose metrics these are. */
  readonly minor: number;
  #unexpected = 0;
  #hidden = 0;

  constructor(choice: MetricChoice = {}) {
    this.#choice = choice;
    this.minor = choice.minor ?? 36;
    this.#allowed = allowedByMetric(choice.allowedLabels ?? {});
  }

  /** The metric of a definition, made at the first call. Of one that is disabled or hidden, the caller records what nobody sees. */
  family(given: FamilyDefinition): Family {
    const { name, changed, since = "1.0", removed = "1.9999" } = given;
    const known = this.#families.get(name) ?? this.#muted.get(name);
    if (known !== undefined) return known;
    const definition =
      changed !== undefined && minorOf(changed.version) <= this.minor ? { ...given, ...changed } : given;
    const isThere = minorOf(since) <= this.minor && this.minor < minorOf(removed);
    const isHidden = isThere && this.#isHidden(definition);
    if (isHidden) this.#hidden += 1;
    const isMuted = !isThere || isHidden || this.#choice.disabled?.includes(name) === true;
    const family = isMuted
      ? new Family({ ...definition, labels: [] })
      : new Family(definition, this.#allowed.get(name), () => {
          this.#unexpected += 1;
        });
    (isMuted ? this.#muted : this.#families).set(name, family);
    return family;
  }

  counter(description: MetricDescription): { add(value: number, labels: MetricLabels): void } {
    const { family, of } = this.#described("counter", description);
    return { add: (value, labels) => family.add(of(labels), value) };
  }

  gauge(description: MetricDescription): { set(value: number, labels: MetricLabels): void } {
    const { family, of } = this.#described("gauge", description);
    return { set: (value, labels) => family.set(of(labels), value) };
  }

  histogram(description: MetricDescription & { readonly buckets: readonly number[] }): {
    observe(value: number, labels: MetricLabels): void;
  } {
    const { family, of } = this.#described("histogram", description);
    return { observe: (value, labels) => family.observe(of(labels), value) };
  }

  /** Calls `read` before each reading, and waits for it: it brings values that are not counted but looked up. */
  readonly onRead = (read: () => void | Promise<void>): void => void this.#readers.push(read);

  /** Calls `listener` when all values are forgotten: series that it holds are none any more. */
  onReset(listener: () => void): void {
    this.#resetters.push(listener);
  }

  /** The metrics that have values, in the order of their names. */
  async read(): Promise<readonly Family[]> {
    for (const read of this.#readers) await read();
    this.#describeItself();
    const shown = [...this.#families.values()].filter(({ size }) => size > 0);
    return shown.sort((one, other) => (one.definition.name < other.definition.name ? -1 : 1));
  }

  /** Forgets what was counted. */
  reset(): void {
    for (const family of this.#families.values()) family.clear();
    for (const family of this.#muted.values()) family.clear();
    for (const listener of this.#resetters) listener();
  }

  #described(
    type: FamilyDefinition["type"],
    description: MetricDescription & { readonly buckets?: readonly number[] },
  ) {
    const { name, help, labelNames, buckets } = description;
    const family = this.family({ name, type, help, labels: labelNames, ...(buckets && { buckets }) });
    const of = (labels: MetricLabels): number => family.series(...labelNames.map((label) => labels[label] ?? ""));
    return { family, of };
  }

  /** kube's rule: a deprecated metric is hidden once the versions for which its stability keeps it have passed. */
  #isHidden({ deprecated, stability = "ALPHA" }: FamilyDefinition): boolean {
    if (deprecated === undefined || this.#choice.showsHidden === true) return false;
    return minorOf(deprecated) + SHOWN_FOR[stability] <= this.minor;
  }

  /** component-base's metrics about metrics. */
  #describeItself(): void {
    const registered = this.family(REGISTERED);
    registered.clear();
    for (const { definition } of this.#families.values()) {
      const { stability, deprecated = "" } = definition;
      if (stability !== undefined) registered.add(registered.series(stability, deprecated));
    }
    const numbers = [
      [HIDDEN, this.#hidden],
      [DISABLED, this.#choice.disabled?.length ?? 0],
      [CONSTRAINED, this.#unexpected],
    ] as const;
    for (const [definition, value] of numbers) {
      const family = this.family(definition);
      family.set(family.series(), value);
    }
  }
}

/** 37, of "1.37" and of "1.37.0". */
function minorOf(version: string): number {
  const [, minor = "0"] = version.split(".");
  return Number(minor);
}

function allowedByMetric(given: Readonly<Record<string, readonly string[]>>): ReadonlyMap<string, AllowedValues> {
  const allowed = new Map<string, Record<string, ReadonlySet<string>>>();
  for (const [key, values] of Object.entries(given)) {
    const [metric = "", label = ""] = key.split(",");
    const labels = allowed.get(metric) ?? Object.create(null);
    labels[label] = new Set(values);
    allowed.set(metric, labels);
  }
  return allowed;
}

const REGISTERED: FamilyDefinition = {
  name: "registered_metrics_total",
  type: "counter",
  help: "The count of registered metrics broken by stability level and deprecation version.",
  labels: ["stability_level", "deprecated_version"],
  stability: "BETA",
};

const HIDDEN: FamilyDefinition = {
  name: "hidden_metrics_total",
  type: "counter",
  help: "The count of hidden metrics.",
  stability: "BETA",
};

const DISABLED: FamilyDefinition = {
  name: "disabled_metrics_total",
  type: "counter",
  help: "The count of disabled metrics.",
  stability: "BETA",
};

const CONSTRAINED: FamilyDefinition = {
  name: "cardinality_enforcement_unexpected_categorizations_total",
  type: "counter",
  help: "The count of unexpected categorizations during cardinality enforcement.",
  stability: "INTERNAL",
};
