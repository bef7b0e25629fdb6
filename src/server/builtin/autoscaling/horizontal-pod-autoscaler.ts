import type {
  ContainerResourceMetricSource,
  ExternalMetricSource,
  HorizontalPodAutoscaler,
  MetricSpec,
  MetricStatus,
  ObjectMetricSource,
  ObjectMetricStatus,
  ResourceMetricSource,
} from "../../../api/types/autoscaling/v2.js";
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
  validateHorizontalPodAutoscalerUpdate,
} from "../../../api/validation/autoscaling.js";
import { number, object, objects, type Received, text } from "../../../machinery/meta/received.js";
import { canonicalizeQuantity } from "../../../machinery/text/quantity/quantity.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, listWithMore, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const horizontalPodAutoscalerRecord: RecordOf<HorizontalPodAutoscaler> = {
  group: "autoscaling",
  resource: "horizontalpodautoscalers",
  strategy: {
    hasGeneration: "HPAGeneration",
    validate: validateHorizontalPodAutoscaler,
    validateUpdate: validateHorizontalPodAutoscalerUpdate,
    validateStatusUpdate: validateHorizontalPodAutoscalerStatusUpdate,
    // Cells of the hub's shape, autoscaling/v2.
    columns: columns(
      [
        "Name",
        ["Reference", "The kind and name of what it scales."],
        ["Targets", "What each metric is and should be."],
        ["MinPods", "The fewest pods that it scales to."],
        ["MaxPods", "The most pods that it scales to."],
        ["Replicas", "How many pods there are."],
        "Age",
      ],
      (autoscaler, now) => {
        const [spec, status] = [object(autoscaler.spec), object(autoscaler.status)];
        const target = object(spec.scaleTargetRef);
        return [
          name(autoscaler),
          `${text(target.kind)}/${text(target.name)}`,
          metricsCell(objects(spec.metrics), objects(status.currentMetrics)),
          spec.minReplicas === undefined ? "<unset>" : String(number(spec.minReplicas)),
          number(spec.maxReplicas),
          number(status.currentReplicas),
          age(autoscaler, now),
        ];
      },
    ),
  },
};

function metricsCell(specs: readonly Received<MetricSpec>[], statuses: readonly Received<MetricStatus>[]): string {
  if (specs.length === 0) return "<none>";
  return listWithMore(
    specs.map((spec, index) => metricCell(spec, statuses[index] ?? {})),
    2,
    ", ",
  );
}

function metricCell(spec: Received<MetricSpec>, status: Received<MetricStatus>): string {
  const type: string = text(spec.type);
  switch (type) {
    case "External":
      return valueMetric(object(spec.external), status.external);
    case "Object":
      return valueMetric(object(spec.object), status.object);
    case "Pods": {
      const current = currentQuantity(status.pods, "averageValue");
      return `${current}/${quantityOr(object(object(spec.pods).target).averageValue, "<nil>")}`;
    }
    case "Resource":
      return resourceMetric(object(spec.resource), status.resource);
    case "ContainerResource":
      return resourceMetric(object(spec.containerResource), status.containerResource);
    default:
      return "<unknown type>";
  }
}

/** The status of a metric of any kind. */
type CurrentStatus = Received<Pick<ObjectMetricStatus, "current">> | null | undefined;

function valueMetric(spec: Received<ExternalMetricSource | ObjectMetricSource>, status: CurrentStatus): string {
  const target = object(spec.target);
  if (target.averageValue !== undefined) {
    return `${quantityOr(object(object(status).current).averageValue)}/${quantityOr(target.averageValue)} (avg)`;
  }
  return `${currentQuantity(status, "value")}/${quantityOr(target.value, "<nil>")}`;
}

function resourceMetric(
  spec: Received<ContainerResourceMetricSource | ResourceMetricSource>,
  status: CurrentStatus,
): string {
  const [target, current] = [object(spec.target), object(object(status).current)];
  const resource = text(spec.name);
  if (target.averageValue !== undefined) {
    return `${resource}: ${currentQuantity(status, "averageValue")}/${quantityOr(target.averageValue)}`;
  }
  return `${resource}: ${percentOr(current.averageUtilization, "<unknown>")}/${percentOr(target.averageUtilization, "<auto>")}`;
}

/** What a metric is: "<unknown>" where its status is not there, "<nil>" where the status lacks the value. */
function currentQuantity(status: CurrentStatus, field: "averageValue" | "value"): string {
  if (status === undefined) return "<unknown>";
  return quantityOr(object(object(status).current)[field], "<nil>");
}

function quantityOr(value: unknown, missing = "<unknown>"): string {
  return typeof value === "string" || typeof value === "number" ? canonicalizeQuantity(value) : missing;
}

function percentOr(value: number | null | undefined, missing: string): string {
  return value === undefined ? missing : `${number(value)}%`;
}
