import type * as v1 from "../../api/types/autoscaling/v1.js";
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerBehavior,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
} from "../../api/types/autoscaling/v2.js";
import {
  absent,
  isStruct,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./heading.js";
import { metricText } from "./scaling-metrics.js";

/** A server that has no autoscaling/v2 is asked for v1, which says less. */
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
