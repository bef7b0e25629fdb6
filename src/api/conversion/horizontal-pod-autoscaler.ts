import {
  absent,
  type Fields,
  isFields,
  list,
  object,
  objects,
  type ReadonlyFields,
  text,
} from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { metricSpecFromV1, metricSpecToV1, metricStatusFromV1, metricStatusToV1 } from "./autoscaling-metrics.js";

/** What autoscaling/v1 has no fields for travels in these annotations. */
const METRICS = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR = "autoscaling.alpha.kubernetes.io/behavior";

/** autoscaling/v1 -> autoscaling/v2, the form autoscalers are stored in. Annotations that are not JSON are dropped. */
export function autoscalerToV2(autoscaler: KubeObject): KubeObject {
  const { metadata, annotations } = takeAnnotations(autoscaler);
  const { targetCPUUtilizationPercentage: cpu, ...spec } = object(autoscaler.spec);
  const { currentCPUUtilizationPercentage: currentCpu, ...status } = object(autoscaler.status);
  const metrics = objects(parsed(annotations[METRICS])).map(metricSpecFromV1);
  if (!absent(cpu)) metrics.unshift(cpuMetric({ target: { type: "Utilization", averageUtilization: cpu } }));
  const current = objects(parsed(annotations[CURRENT_METRICS])).map(metricStatusFromV1);
  if (current.length === 0 && !absent(currentCpu)) {
    current.push(cpuMetric({ current: { averageUtilization: currentCpu } }));
  }
  const conditions = list(parsed(annotations[CONDITIONS]));
  const behavior = parsed(annotations[BEHAVIOR]);
  return {
    ...autoscaler,
    apiVersion: "autoscaling/v2",
    ...(metadata && { metadata }),
    spec: {
      ...spec,
      ...(metrics.length > 0 && { metrics }),
      ...(isFields(behavior) && { behavior: renameKeys(behavior, lowerFirst) }),
    },
    ...(autoscaler.status !== undefined && {
      status: {
        ...status,
        ...(current.length > 0 && { currentMetrics: current }),
        ...(conditions.length > 0 && { conditions }),
      },
    }),
  };
}

export function autoscalerFromV2(autoscaler: KubeObject): KubeObject {
  const { metrics, behavior, ...spec } = object(autoscaler.spec);
  const { currentMetrics, conditions, ...status } = object(autoscaler.status);
  const cpu = objects(metrics).find(isCpuUtilization);
  const others = objects(metrics).filter((metric) => !isCpuUtilization(metric));
  const currentCpu = object(object(objects(currentMetrics).find(isCpu)?.resource).current).averageUtilization;
  const annotations: Record<string, string> = {};
  if (list(conditions).length > 0) annotations[CONDITIONS] = JSON.stringify(conditions);
  if (list(currentMetrics).length > 0) {
    annotations[CURRENT_METRICS] = JSON.stringify(objects(currentMetrics).map(metricStatusToV1));
  }
  if (others.length > 0) annotations[METRICS] = JSON.stringify(others.map(metricSpecToV1));
  if (isFields(behavior)) annotations[BEHAVIOR] = JSON.stringify(internalBehavior(behavior));
  return {
    ...autoscaler,
    apiVersion: "autoscaling/v1",
    ...(Object.keys(annotations).length > 0 && {
      metadata: { ...autoscaler.metadata, annotations: { ...autoscaler.metadata?.annotations, ...annotations } },
    }),
    spec: {
      ...spec,
      ...(cpu && { targetCPUUtilizationPercentage: object(object(cpu.resource).target).averageUtilization }),
    },
    ...(autoscaler.status !== undefined && {
      status: { ...status, ...(!absent(currentCpu) && { currentCPUUtilizationPercentage: currentCpu }) },
    }),
  };
}

function takeAnnotations(autoscaler: KubeObject) {
  const annotations = autoscaler.metadata?.annotations ?? {};
  const special = new Set([METRICS, CURRENT_METRICS, CONDITIONS, BEHAVIOR]);
  if (!Object.keys(annotations).some((key) => special.has(key))) {
    return { metadata: autoscaler.metadata, annotations };
  }
  const { annotations: _, ...metadata } = { ...autoscaler.metadata };
  const kept = Object.entries(annotations).filter(([key]) => !special.has(key));
  const rest = kept.length > 0 ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata;
  return { metadata: rest, annotations };
}

function cpuMetric(part: Fields): Fields {
  return { type: "Resource", resource: { name: "cpu", ...part } };
}

function isCpu(metric: ReadonlyFields): boolean {
  return metric.type === "Resource" && text(object(metric.resource).name) === "cpu";
}

function isCpuUtilization(metric: ReadonlyFields): boolean {
  return isCpu(metric) && !absent(object(object(metric.resource).target).averageUtilization);
}

/** The annotation holds the internal type, whose fields have Go's names and are never left out. */
function internalBehavior(behavior: Fields): Fields {
  const rules = (value: unknown) => {
    if (!isFields(value)) return null;
    return {
      StabilizationWindowSeconds: value.stabilizationWindowSeconds ?? null,
      SelectPolicy: value.selectPolicy ?? null,
      Policies: absent(value.policies) ? null : objects(value.policies).map((policy) => renameKeys(policy, upperFirst)),
      Tolerance: value.tolerance ?? null,
    };
  };
  return { ScaleUp: rules(behavior.scaleUp), ScaleDown: rules(behavior.scaleDown) };
}

function renameKeys(value: ReadonlyFields, rename: (name: string) => string): Fields {
  const renamed: Fields = {};
  for (const [key, item] of Object.entries(value)) {
    if (absent(item)) continue;
    renamed[rename(key)] = Array.isArray(item)
      ? objects(item).map((entry) => renameKeys(entry, rename))
      : isFields(item)
        ? renameKeys(item, rename)
        : item;
  }
  return renamed;
}

const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);
const upperFirst = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

function parsed(json: string | undefined): unknown {
  if (json === undefined) return undefined;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return undefined;
  }
}
