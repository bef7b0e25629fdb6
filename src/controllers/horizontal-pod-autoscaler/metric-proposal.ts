import type { FieldsOf } from "../../machinery/meta/received.js";
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "../../api/types/autoscaling/v2.js";
import type { Pod } from "../../api/types/core/v1.js";
import { formatQuantity } from "../../machinery/text/quantity/quantity.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { MetricReader } from "./metric-reader.js";
import { thousandths } from "./pod-metrics.js";
import {
  type Measured,
  replicasForAverage,
  replicasForShare,
  replicasForUtilization,
  replicasForValue,
  type Tolerances,
} from "./replica-calculator.js";
import type { Reason } from "./conditions.js";
import type { LabelSelector } from "../../api/types/meta/v1.js";

/** The scale that one metric asks for. */
interface Proposal {
  readonly replicas: number;
  /** As messages show it: "cpu resource utilization (percentage of request)". */
  readonly metric: string;
  readonly status: MetricStatus;
}

/** The scaled object for which proposals are computed. */
export interface Scaled {
  readonly namespace: string;
  /** Of the scale's spec and status. */
  readonly specReplicas: number;
  readonly statusReplicas: number;
  /** The scale's selector, and the pods that it selects. */
  readonly selector: string;
  readonly pods: readonly Pod[];
  readonly tolerances: Tolerances;
  /** In milliseconds. */
  readonly now: number;
}

/** Thrown when a metric yields no scale. */
export class MetricError extends Error {
  override readonly name = "MetricError";

  constructor(
    /** Of the event and the condition: "FailedGetResourceMetric". */
    readonly reason: string,
    /** The event's message. */
    readonly detail: string,
    /** What the metric is called in the list of invalid metrics: "failed to get cpu resource metric value". */
    what: string,
  ) {
    super(what === "" ? detail : `${what}: ${detail}`);
  }
}

/** Computes the number of replicas that one metric proposes. Throws a {@link MetricError}. */
export function proposalOf(spec: MetricSpec, scaled: Scaled, reader: MetricReader): Promise<Proposal> {
  const { type, resource, containerResource, pods, object, external } = spec;
  if (type === "Resource" && resource !== undefined) {
    const what = `failed to get ${resource.name} resource metric value`;
    return failing("FailedGetResourceMetric", what, () => byResource(resource, scaled, reader));
  }
  if (type === "ContainerResource" && containerResource !== undefined) {
    const what = `failed to get ${containerResource.container} container metric value`;
    return failing("FailedGetContainerResourceMetric", what, () => byResource(containerResource, scaled, reader));
  }
  if (type === "Pods" && pods !== undefined) {
    return failing("FailedGetPodsMetric", "failed to get pods metric value", () => byPods(pods, scaled, reader));
  }
  if (type === "Object" && object !== undefined) {
    const average = object.target.type === "AverageValue" && object.target.averageValue !== undefined;
    const detail = average ? `: failed to get ${object.metric.name} object metric` : "";
    const what = `failed to get object metric value${detail}`;
    return failing("FailedGetObjectMetric", what, () => byObject(object, scaled, reader));
  }
  if (type === "External" && external !== undefined) {
    const { name } = external.metric;
    const what = `failed to get ${name} external metric value${externalDetail(name, external.target)}`;
    return failing("FailedGetExternalMetric", what, () => byExternal(external, scaled, reader));
  }
  throw new MetricError("InvalidMetricSourceType", `unknown metric source type ${JSON.stringify(type)}`, "");
}

function externalDetail(name: string, { averageValue, value }: MetricTarget): string {
  if (averageValue !== undefined) return `: failed to get ${name} external metric`;
  return value === undefined ? "" : `: failed to get external metric ${name}`;
}

async function failing(reason: string, what: string, propose: () => Promise<Proposal>): Promise<Proposal> {
  try {
    return await propose();
  } catch (error) {
    throw new MetricError(reason, (error as Error).message, what);
  }
}

async function byResource(
  source: { readonly name: string; readonly target: MetricTarget; readonly container?: string },
  scaled: Scaled,
  reader: MetricReader,
): Promise<Proposal> {
  const { name, target, container = "" } = source;
  const { averageValue, averageUtilization } = target;
  if (averageValue === undefined && averageUtilization === undefined) {
    throw new Error(
      "invalid resource metric source: neither an average utilization target nor an average value (usage) target was set",
    );
  }
  const query = { namespace: scaled.namespace, selector: scaled.selector, resource: name, container };
  const kind = averageValue === undefined ? "utilization" : "usage";
  const measured = async (): Promise<Measured> => {
    const metrics = await explained(`unable to get metrics for resource ${name}`, () => reader.resource(query));
    return { ...measuredOf(scaled, name), metrics };
  };
  const { replicas, current } = await explained(`failed to get ${name} ${kind}`, async () => {
    if (averageValue !== undefined) {
      const average = replicasForAverage(await measured(), thousandths(averageValue));
      return {
        replicas: average.replicas,
        current: { averageValue: quantity(average.usage) } satisfies FieldsOf<MetricValueStatus>,
      };
    }
    const used = replicasForUtilization(await measured(), averageUtilization ?? 0, container);
    return {
      replicas: used.replicas,
      current: {
        averageUtilization: used.percentage,
        averageValue: quantity(used.usage),
      } satisfies FieldsOf<MetricValueStatus>,
    };
  });
  const of = source.container === undefined ? "resource" : "container resource";
  const metric = averageValue === undefined ? `${name} ${of} utilization (percentage of request)` : `${name} resource`;
  const status: MetricStatus =
    source.container === undefined
      ? { type: "Resource", resource: { name, current } }
      : { type: "ContainerResource", containerResource: { name, container, current } };
  return { replicas, metric, status };
}

async function byPods(
  { metric, target }: NonNullable<MetricSpec["pods"]>,
  scaled: Scaled,
  reader: MetricReader,
): Promise<Proposal> {
  const selector = seriesOf(metric);
  const metrics = await explained(`unable to get metric ${metric.name}`, () =>
    reader.pods({ namespace: scaled.namespace, metric: metric.name, selector }, scaled.pods, scaled.selector),
  );
  const { replicas, usage } = replicasForAverage(
    { ...measuredOf(scaled, ""), metrics },
    thousandths(target.averageValue ?? "0"),
  );
  const current = { averageValue: quantity(usage) };
  return { replicas, metric: `pods metric ${metric.name}`, status: { type: "Pods", pods: { metric, current } } };
}

async function byObject(
  { metric, target, describedObject }: NonNullable<MetricSpec["object"]>,
  scaled: Scaled,
  reader: MetricReader,
): Promise<Proposal> {
  const query = { namespace: scaled.namespace, metric: metric.name, selector: seriesOf(metric) };
  const read = async (): Promise<number> => {
    try {
      return await reader.object(query, describedObject);
    } catch (error) {
      const place = `${describedObject.kind} ${scaled.namespace}/${describedObject.name}`;
      throw new Error(`unable to get metric ${metric.name}: ${(error as Error).message} on ${place}`);
    }
  };
  const status = (current: MetricValueStatus): MetricStatus => ({
    type: "Object",
    object: { describedObject, metric, current },
  });
  if (target.type === "Value" && target.value !== undefined) {
    const value = await read();
    const replicas = replicasForValue(calculated(scaled), value, thousandths(target.value));
    const name = `${describedObject.kind} metric ${metric.name}`;
    return { replicas, metric: name, status: status({ value: quantity(value) }) };
  }
  if (target.type === "AverageValue" && target.averageValue !== undefined) {
    const value = await read();
    const { averageValue } = target;
    const { replicas, usage } = replicasForShare(
      scaled.statusReplicas,
      scaled.tolerances,
      value,
      thousandths(averageValue),
    );
    return { replicas, metric: externalName(metric), status: status({ averageValue: quantity(usage) }) };
  }
  throw new Error("invalid object metric source: neither a value target nor an average value target was set");
}

async function byExternal(
  { metric, target }: NonNullable<MetricSpec["external"]>,
  scaled: Scaled,
  reader: MetricReader,
): Promise<Proposal> {
  const query = { namespace: scaled.namespace, metric: metric.name, selector: seriesOf(metric) };
  const place = `${scaled.namespace}/${metric.name}/${goSelectorText(metric.selector)}`;
  const read = () => explained(`unable to get external metric ${place}`, () => reader.external(query));
  const status = (current: MetricValueStatus): MetricStatus => ({ type: "External", external: { metric, current } });
  const { averageValue, value: wanted } = target;
  if (averageValue !== undefined) {
    const value = await read();
    const { replicas, usage } = replicasForShare(
      scaled.statusReplicas,
      scaled.tolerances,
      value,
      thousandths(averageValue),
    );
    return { replicas, metric: externalName(metric), status: status({ averageValue: quantity(usage) }) };
  }
  if (wanted !== undefined) {
    const value = await read();
    const replicas = replicasForValue(calculated(scaled), value, thousandths(wanted));
    return { replicas, metric: externalName(metric), status: status({ value: quantity(value) }) };
  }
  throw new Error("invalid external metric source: neither a value target nor an average value target was set");
}

const calculated = ({ specReplicas, pods, tolerances }: Scaled) => ({ replicas: specReplicas, pods, tolerances });

const measuredOf = (scaled: Scaled, resource: string): Omit<Measured, "metrics"> => ({
  ...calculated(scaled),
  resource,
  now: scaled.now,
});

const externalName = ({ name, selector }: Identifier): string => `external metric ${name}(${goSelectorText(selector)})`;

type Identifier = NonNullable<MetricSpec["pods"]>["metric"];

/** The selector of a metric's series, as text: "" for all of them. */
const seriesOf = ({ selector }: Identifier): string =>
  selector === undefined ? "" : selectorFromObject(selector).toString();

const quantity = (thousands: number): string =>
  formatQuantity({ unscaled: BigInt(Math.round(thousands)), scale: -3, format: "DecimalSI" });

/** Puts what was asked for before the message of what `ask` throws. */
async function explained<T>(what: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    throw new Error(`${what}: ${(error as Error).message}`, { cause: error });
  }
}

/** The combined result of an autoscaler's metrics. */
export interface Combined {
  /** The largest scale that a metric asks for; undefined where the metrics that are known are not enough to scale. */
  readonly replicas: number | undefined;
  /** The metric that asks for it. */
  readonly metric: string;
  /** In the order of the spec; an empty one where a metric is not known. */
  readonly statuses: readonly MetricStatus[];
  /** Of the condition ScalingActive, which is True where there is a scale. */
  readonly reason: Reason;
  /** What is wrong with metrics; scaling up goes on without them. */
  readonly error?: string;
}

const UNKNOWN: MetricStatus = { type: "" as string as MetricStatus["type"] };

/** Combines the outcomes of the metrics. If one of them failed, the others may scale up but not down. */
export function combine(outcomes: readonly (Proposal | MetricError)[], specReplicas: number): Combined {
  const statuses = outcomes.map((one) => (one instanceof MetricError ? UNKNOWN : one.status));
  const failed = outcomes.filter((one) => one instanceof MetricError);
  const [first] = failed;
  let [replicas, metric] = [0, ""];
  for (const one of outcomes) {
    if (one instanceof MetricError || (replicas !== 0 && one.replicas <= replicas)) continue;
    ({ replicas, metric } = one);
  }
  if (first === undefined) return { replicas, metric, statuses, reason: found(metric) };
  const count = `${failed.length} invalid out of ${outcomes.length}`;
  const error = `invalid metrics (${count}), first error is: ${first.message}`;
  if (failed.length === outcomes.length || replicas < specReplicas) {
    const message = `the HPA was unable to compute the replica count: ${first.detail}`;
    return { replicas: undefined, metric: "", statuses, reason: { reason: first.reason, message }, error };
  }
  return { replicas, metric, statuses, reason: found(metric), error };
}

const found = (metric: string): Reason => ({
  reason: "ValidMetricFound",
  message: `the HPA was able to successfully calculate a replica count from ${metric}`,
});

/** A label selector as Go prints a pointer to it: messages of autoscalers show it. "nil" for none. */
function goSelectorText(selector: LabelSelector | undefined): string {
  if (selector === undefined) return "nil";
  const labels = Object.entries(selector.matchLabels ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`);
  const expressions = (selector.matchExpressions ?? []).map(
    ({ key, operator, values = [] }) =>
      `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(" ")}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join("")}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join("")}},}`;
}
