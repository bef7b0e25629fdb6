import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import { absent, isFields, list, object, objects, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { withAnnotations, compact } from "../copies.js";
import {
  annotatedBehavior,
  behaviorAnnotation,
  asType,
  inOrderOf,
  annotatedJson,
  BEHAVIOR,
  CONDITIONS,
  CURRENT_METRICS,
  METRICS,
  withoutRoundTripAnnotations,
} from "./annotations.js";
import { flatSpec, flatStatus, nestedSpec, nestedStatus } from "./flat-metrics.js";
import { defaultHorizontalPodAutoscaler, defaultMinReplicas } from "../../defaults/autoscaling.js";
import type { VersionTable } from "../version-table.js";

const METRIC_SPEC = "io.k8s.api.autoscaling.v2.MetricSpec";
const METRIC_STATUS = "io.k8s.api.autoscaling.v2.MetricStatus";
const CONDITION = "io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerCondition";

/** Scaling on 80 % of the requested CPU: what an autoscaler without any metric does. */
const DEFAULT_UTILIZATION = 80;

/**
 * autoscaling/v1 -> autoscaling/v2. The one field for CPU becomes the last metric; other metrics, what there is of them
 * now, conditions and behaviour come from annotations, and annotations that cannot be read are dropped.
 */
function autoscalerFromV1(autoscaler: KubeObject): KubeObject {
  const { targetCPUUtilizationPercentage: cpu, ...spec } = object(autoscaler.spec);
  const { currentCPUUtilizationPercentage: currentCpu, ...status } = object(autoscaler.status);
  const others = asType(METRIC_SPEC, objects(annotatedJson(autoscaler, METRICS)).map(nestedSpec)) ?? [];
  const metrics = absent(cpu) ? others : [...others, cpuTarget(cpu)];
  const annotated = asType(METRIC_STATUS, objects(annotatedJson(autoscaler, CURRENT_METRICS)).map(nestedStatus)) ?? [];
  const current = annotated.length > 0 ? annotated : absent(currentCpu) ? undefined : [cpuNow(currentCpu)];
  const conditions = asType(CONDITION, objects(annotatedJson(autoscaler, CONDITIONS))) ?? [];
  const hasStatus = autoscaler.status !== undefined || current !== undefined || conditions.length > 0;
  return {
    ...withoutRoundTripAnnotations(autoscaler),
    spec: compact({
      ...spec,
      metrics: metrics.length > 0 ? metrics : [cpuTarget(DEFAULT_UTILIZATION)],
      behavior: annotatedBehavior(autoscaler),
    }),
    ...(hasStatus && {
      status: compact({
        ...status,
        currentMetrics: current,
        conditions: conditions.length > 0 ? conditions : undefined,
      }),
    }),
  };
}

/** autoscaling/v2 -> autoscaling/v1. The order of metrics is lost, and all utilizations of CPU but the first. */
function autoscalerToV1(autoscaler: KubeObject): KubeObject {
  const { metrics, behavior, ...spec } = object(autoscaler.spec);
  const { currentMetrics, conditions, ...status } = object(autoscaler.status);
  const others = objects(metrics).filter((metric) => absent(cpuUtilization(metric, "target")));
  const firstCpu = objects(metrics).find(isCpu);
  const current = objects(currentMetrics).map((metric) => cpuUtilization(metric, "current"));
  const annotations: Record<string, string> = {};
  if (others.length > 0) annotations[METRICS] = encodeJson(others.map(flatSpec));
  if (current.length > 0) annotations[CURRENT_METRICS] = encodeJson(objects(currentMetrics).map(flatStatus));
  if (list(conditions).length > 0) {
    annotations[CONDITIONS] = encodeJson(objects(conditions).map((condition) => inOrderOf(CONDITION, condition)));
  }
  if (isFields(behavior)) annotations[BEHAVIOR] = behaviorAnnotation(behavior);
  return {
    ...withAnnotations(withoutRoundTripAnnotations(autoscaler), annotations),
    spec: compact({
      ...spec,
      targetCPUUtilizationPercentage: firstCpu && cpuUtilization(firstCpu, "target"),
    }),
    ...(autoscaler.status !== undefined && {
      status: compact({
        ...status,
        currentCPUUtilizationPercentage: current.findLast((utilization) => !absent(utilization)),
      }),
    }),
  };
}

const cpuTarget = (averageUtilization: unknown): ReadonlyFields => ({
  type: "Resource",
  resource: { name: "cpu", target: { type: "Utilization", averageUtilization } },
});

const cpuNow = (averageUtilization: unknown): ReadonlyFields => ({
  type: "Resource",
  resource: { name: "cpu", current: { averageUtilization } },
});

function isCpu(metric: ReadonlyFields): boolean {
  return metric.type === "Resource" && object(metric.resource).name === "cpu";
}

function cpuUtilization(metric: ReadonlyFields, side: "target" | "current"): unknown {
  return isCpu(metric) ? object(object(metric.resource)[side]).averageUtilization : undefined;
}

export const AUTOSCALING: VersionTable = {
  "autoscaling/v1/HorizontalPodAutoscaler": {
    conversion: { toHub: autoscalerFromV1, fromHub: autoscalerToV1 },
    // The default metric is not here: only the conversion knows whether an annotation has others.
    applyDefaults: defaultMinReplicas,
  },
  "autoscaling/v2/HorizontalPodAutoscaler": {
    conversion: { toHub: withoutRoundTripAnnotations, fromHub: withoutRoundTripAnnotations },
    applyDefaults: defaultHorizontalPodAutoscaler,
  },
};
