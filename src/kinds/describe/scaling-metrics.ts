import { goQuote } from "../../base/text/go-quote.js";
import { absent, isFields, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import { scalar, whole } from "./go-fields.js";

const UNKNOWN = "<unknown>";

type MetricText = (source: ReadonlyFields, current: ReadonlyFields | undefined) => string;

/** What a HorizontalPodAutoscaler goes by: "current / target". `current` is what its status has at the same place. */
export function metricText(metric: ReadonlyFields, current: ReadonlyFields | undefined): string {
  const type = text(metric.type);
  const field = type.charAt(0).toLowerCase() + type.slice(1);
  const known = Object.hasOwn(METRICS, field) ? METRICS[field] : undefined;
  if (known === undefined) return `<unknown metric type ${goQuote(type)}>`;
  const measured = current?.[field];
  return known(object(metric[field]), isFields(measured) ? object(measured.current) : undefined);
}

const METRICS: Readonly<Record<string, MetricText>> = {
  external: ({ metric, target }, current) => {
    const name = goQuote(text(object(metric).name));
    const { averageValue, value } = object(target);
    if (absent(averageValue)) return `${name} (target value):\t${amount(current, "value")} / ${quantity(value)}`;
    const average = absent(current?.averageValue) ? UNKNOWN : quantity(current.averageValue);
    return `${name} (target average value):\t${average} / ${quantity(averageValue)}`;
  },
  pods: ({ metric, target }, current) => {
    const name = goQuote(text(object(metric).name));
    return `${name} on pods:\t${amount(current, "averageValue")} / ${quantity(object(target).averageValue)}`;
  },
  object: ({ metric, target, describedObject }, current) => {
    const { type, averageValue, value } = object(target);
    const { kind, name } = object(describedObject);
    const title = `"${text(object(metric).name)}" on ${text(kind)}/${text(name)}`;
    return type === "AverageValue"
      ? `${title} (target average value):\t${amount(current, "averageValue")} / ${quantity(averageValue)}`
      : `${title} (target value):\t${amount(current, "value")} / ${quantity(value)}`;
  },
  resource: ({ name, target }, current) => `resource ${text(name)} on pods${ofRequests(object(target), current)}`,
  containerResource: ({ name, container, target }, current) =>
    `resource ${text(name)} of container "${text(container)}" on pods${ofRequests(object(target), current)}`,
};

function ofRequests({ averageValue, averageUtilization }: ReadonlyFields, current: ReadonlyFields | undefined): string {
  if (!absent(averageValue)) return `:\t${amount(current, "averageValue")} / ${quantity(averageValue)}`;
  const measured = current?.averageUtilization;
  const now = absent(measured) ? UNKNOWN : `${whole(measured)}% (${quantity(current?.averageValue)})`;
  const target = absent(averageUtilization) ? "<auto>" : `${whole(averageUtilization)}%`;
  // Two spaces: kubectl indents the rest of the line as well.
  return `  (as a percentage of request):\t${now} / ${target}`;
}

const amount = (current: ReadonlyFields | undefined, field: "value" | "averageValue"): string =>
  current === undefined ? UNKNOWN : quantity(current[field]);

const quantity = (value: unknown): string => scalar(value, "<nil>");
