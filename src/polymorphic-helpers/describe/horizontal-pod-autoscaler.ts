import type * as v1 from "../../api/types/autoscaling/v1.js";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from "../../api/types/autoscaling/v2.js";
import {
  absent,
  isStruct,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
  type OrAbsent,
} from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { whole, scalar } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { goQuote } from "../../base/text/go-quote.js";

/** Describes an autoscaler. From a server without autoscaling/v2 it reads v1, which has fewer fields. */
export const describeHorizontalPodAutoscaler: Describer = async (namespace, name, description, context) => {
  const { reader } = context;
  const current = await reader.get("autoscaling/v2/HorizontalPodAutoscaler", namespace, name).catch(() => undefined);
  const autoscaler = current ?? (await reader.get("autoscaling/v1/HorizontalPodAutoscaler", namespace, name));
  const events = await eventsOf(autoscaler, "HorizontalPodAutoscaler", context);
  const [spec, status] = [object(autoscaler.spec), object(autoscaler.status)];
  const target = object(spec.scaleTargetRef);
  describeName(description, autoscaler);
  describeLabelsAndAnnotations(description, autoscaler);
  description.write(0, `CreationTimestamp:\t${dateText(autoscaler.metadata?.creationTimestamp)}\n`);
  description.write(0, `Reference:\t${text(target.kind)}/${text(target.name)}\n`);
  if (current === undefined) describeUtilization(description, spec, status);
  else describeMetrics(description, object(current.spec), object(current.status));
  description.write(0, `Min replicas:\t${absent(spec.minReplicas) ? "<unset>" : whole(spec.minReplicas)}\n`);
  description.write(0, `Max replicas:\t${whole(spec.maxReplicas)}\n`);
  if (current !== undefined) describeBehavior(description, object(current.spec).behavior);
  const counts = `${whole(status.currentReplicas)} current / ${whole(status.desiredReplicas)} desired`;
  description.write(0, `${text(target.kind)} pods:\t${counts}\n`);
  if (current !== undefined) describeConditions(description, current);
  describeEvents(description, events, context);
};

/** The one metric of v1. */
function describeUtilization(
  description: Description,
  spec: Received<v1.HorizontalPodAutoscalerSpec>,
  status: Received<v1.HorizontalPodAutoscalerStatus>,
): void {
  const { targetCPUUtilizationPercentage: target } = spec;
  if (absent(target)) return;
  const { currentCPUUtilizationPercentage: current } = status;
  description.write(0, `Target CPU utilization:\t${whole(target)}%\n`);
  description.write(0, `Current CPU utilization:\t${absent(current) ? "<unknown>" : whole(current)}%\n`);
}

function describeMetrics(
  description: Description,
  spec: Received<HorizontalPodAutoscalerSpec>,
  status: Received<HorizontalPodAutoscalerStatus>,
): void {
  description.write(0, "Metrics:\t( current / target )\n");
  const current = objects(status.currentMetrics);
  for (const [index, metric] of objects(spec.metrics).entries()) {
    description.write(1, `${metricText(metric, current[index])}\n`);
  }
}

function describeBehavior(
  description: Description,
  behavior: Received<HorizontalPodAutoscalerBehavior> | null | undefined,
): void {
  if (!isStruct(behavior)) return;
  description.write(0, "Behavior:\n");
  for (const [title, rules] of [
    ["Scale Up", behavior.scaleUp],
    ["Scale Down", behavior.scaleDown],
  ] as const) {
    if (!isStruct(rules)) continue;
    description.write(1, `${title}:\n`);
    const { stabilizationWindowSeconds: window, selectPolicy } = rules;
    if (!absent(window)) description.write(2, `Stabilization Window: ${whole(window)} seconds\n`);
    const policies = objects(rules.policies);
    if (policies.length === 0) continue;
    description.write(2, `Select Policy: ${absent(selectPolicy) ? "Max" : text(selectPolicy)}\n`);
    description.write(2, "Policies:\n");
    for (const { type, value, periodSeconds } of policies) {
      const line = `- Type: ${text(type)}\tValue: ${whole(value)}\tPeriod: ${whole(periodSeconds)} seconds`;
      description.write(3, `${line}\n`);
    }
  }
}

function describeConditions(description: Description, { status: of }: ReceivedObject<HorizontalPodAutoscaler>): void {
  const conditions = objects(object(of).conditions);
  if (conditions.length === 0) return;
  description.write(0, "Conditions:\n");
  description.write(1, "Type\tStatus\tReason\tMessage\n");
  description.write(1, "----\t------\t------\t-------\n");
  for (const { type, status, reason, message } of conditions) {
    description.write(1, `${[type, status, reason, message].map(text).join("\t")}\n`);
  }
}

const UNKNOWN = "<unknown>";

type MetricText = (metric: Received<MetricSpec>, current: Received<MetricStatus>) => string;
type Measured = Received<MetricValueStatus> | undefined;

/** What a HorizontalPodAutoscaler goes by: "current / target". `current` is what its status has at the same place. */
function metricText(metric: Received<MetricSpec>, current: Received<MetricStatus> | undefined): string {
  const type = text(metric.type);
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const known = Object.hasOwn(METRICS, field) ? METRICS[field] : undefined;
  if (known === undefined) return `<unknown metric type ${goQuote(type)}>`;
  return known(metric, object(current));
}

/** What was measured; undefined where the status has nothing of the metric. */
const measured = (status: OrAbsent<{ readonly current?: OrAbsent<Received<MetricValueStatus>> }>): Measured =>
  isStruct(status) ? object(status.current) : undefined;

const METRICS: Readonly<Record<string, MetricText>> = {
  external: ({ external }, status) => {
    const { metric, target } = object(external);
    const current = measured(status.external);
    const name = goQuote(text(object(metric).name));
    const { averageValue, value } = object(target);
    if (absent(averageValue)) return `${name} (target value):\t${amount(current, "value")} / ${quantity(value)}`;
    const average = absent(current?.averageValue) ? UNKNOWN : quantity(current.averageValue);
    return `${name} (target average value):\t${average} / ${quantity(averageValue)}`;
  },
  pods: ({ pods }, status) => {
    const { metric, target } = object(pods);
    const current = measured(status.pods);
    const name = goQuote(text(object(metric).name));
    return `${name} on pods:\t${amount(current, "averageValue")} / ${quantity(object(target).averageValue)}`;
  },
  object: ({ object: source }, status) => {
    const { metric, target, describedObject } = object(source);
    const current = measured(status.object);
    const { type, averageValue, value } = object(target);
    const { kind, name } = object(describedObject);
    const title = `"${text(object(metric).name)}" on ${text(kind)}/${text(name)}`;
    return type === "AverageValue"
      ? `${title} (target average value):\t${amount(current, "averageValue")} / ${quantity(averageValue)}`
      : `${title} (target value):\t${amount(current, "value")} / ${quantity(value)}`;
  },
  resource: ({ resource }, status) => {
    const { name, target } = object(resource);
    return `resource ${text(name)} on pods${ofRequests(object(target), measured(status.resource))}`;
  },
  containerResource: ({ containerResource }, status) => {
    const { name, container, target } = object(containerResource);
    const shares = ofRequests(object(target), measured(status.containerResource));
    return `resource ${text(name)} of container "${text(container)}" on pods${shares}`;
  },
} satisfies Partial<Record<keyof MetricSpec, MetricText>>;

function ofRequests({ averageValue, averageUtilization }: Received<MetricTarget>, current: Measured): string {
  if (!absent(averageValue)) return `:\t${amount(current, "averageValue")} / ${quantity(averageValue)}`;
  const used = current?.averageUtilization;
  const now = absent(used) ? UNKNOWN : `${whole(used)}% (${quantity(current?.averageValue)})`;
  const target = absent(averageUtilization) ? "<auto>" : `${whole(averageUtilization)}%`;
  // Two spaces: kubectl indents the rest of the line as well.
  return `  (as a percentage of request):\t${now} / ${target}`;
}

const amount = (current: Measured, field: "value" | "averageValue"): string =>
  current === undefined ? UNKNOWN : quantity(current[field]);

const quantity = (value: unknown): string => scalar(value, "<nil>");
