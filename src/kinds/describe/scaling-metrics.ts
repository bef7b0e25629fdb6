import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "../../api/types/autoscaling/v2.js";
import { goQuote } from "../../base/text/go-quote.js";
import { absent, isStruct, object, type OrAbsent, type Received, text } from "../../machinery/meta/received.js";
import { scalar, whole } from "./go-fields.js";

const UNKNOWN = "<unknown>";

type MetricText = (metric: Received<MetricSpec>, current: Received<MetricStatus>) => string;
type Measured = Received<MetricValueStatus> | undefined;

/** What a HorizontalPodAutoscaler goes by: "current / target". `current` is what its status has at the same place. */
export function metricText(metric: Received<MetricSpec>, current: Received<MetricStatus> | undefined): string {
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
};

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
