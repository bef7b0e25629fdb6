import { absent, type Fields, isFields, object, type ReadonlyFields, text } from "../../../machinery/meta/access.js";
import { compact } from "../copies.js";
import { inOrderOf } from "./annotations.js";

/**
 * Converts a metric to the form of autoscaling/v2beta1, which autoscaling/v1 has in annotations: the target and current values are
 * in the source itself, beside the metric's name and selector. Fields come in the order of the Go types, for the annotations. A
 * quantity that those types cannot omit is "0" where v2 has none, and so it stays "0" when it is converted back.
 */
export function flatSpec(metric: ReadonlyFields): Fields {
  return bySource(metric, FLAT_SPECS);
}

export function flatStatus(metric: ReadonlyFields): Fields {
  return bySource(metric, FLAT_STATUSES);
}

/** The inverse of {@link flatSpec}. The type of the target follows from the values that are present. */
export function nestedSpec(metric: ReadonlyFields): Fields {
  return bySource(metric, NESTED_SPECS);
}

/** The inverse of {@link flatStatus}. */
export function nestedStatus(metric: ReadonlyFields): Fields {
  return bySource(metric, NESTED_STATUSES);
}

type Source = "object" | "pods" | "resource" | "containerResource" | "external";
type Shapes = Readonly<Record<Source, (source: ReadonlyFields) => ReadonlyFields>>;

const FLAT_SPECS: Shapes = {
  object: ({ describedObject, metric, target }) => ({
    target: reference(describedObject),
    metricName: nameOf(metric),
    targetValue: object(target).value ?? ZERO,
    selector: selectorOf(metric),
    averageValue: object(target).averageValue,
  }),
  pods: ({ metric, target }) => ({
    metricName: nameOf(metric),
    targetAverageValue: object(target).averageValue ?? ZERO,
    selector: selectorOf(metric),
  }),
  resource: ({ name, target }) => flatTarget(name, target),
  containerResource: ({ name, target, container }) => ({ ...flatTarget(name, target), container: text(container) }),
  external: ({ metric, target }) => ({
    metricName: nameOf(metric),
    metricSelector: selectorOf(metric),
    targetValue: object(target).value,
    targetAverageValue: object(target).averageValue,
  }),
};

const FLAT_STATUSES: Shapes = {
  object: ({ describedObject, metric, current }) => ({
    target: reference(describedObject),
    metricName: nameOf(metric),
    currentValue: object(current).value ?? ZERO,
    selector: selectorOf(metric),
    averageValue: object(current).averageValue,
  }),
  pods: ({ metric, current }) => ({
    metricName: nameOf(metric),
    currentAverageValue: object(current).averageValue ?? ZERO,
    selector: selectorOf(metric),
  }),
  resource: ({ name, current }) => flatCurrent(name, current),
  containerResource: ({ name, current, container }) => ({ ...flatCurrent(name, current), container: text(container) }),
  external: ({ metric, current }) => ({
    metricName: nameOf(metric),
    metricSelector: selectorOf(metric),
    currentValue: object(current).value ?? ZERO,
    currentAverageValue: object(current).averageValue,
  }),
};

const NESTED_SPECS: Shapes = {
  object: ({ target, metricName, targetValue, selector, averageValue }) => ({
    describedObject: reference(target),
    target: compact({
      type: absent(averageValue) ? "Value" : "AverageValue",
      value: targetValue ?? ZERO,
      averageValue,
    }),
    metric: identifier(metricName, selector),
  }),
  pods: ({ metricName, targetAverageValue, selector }) => ({
    metric: identifier(metricName, selector),
    target: { type: "AverageValue", averageValue: targetAverageValue ?? ZERO },
  }),
  resource: (flat) => ({ name: text(flat.name), target: nestedTarget(flat) }),
  containerResource: (flat) => ({
    name: text(flat.name),
    target: nestedTarget(flat),
    container: text(flat.container),
  }),
  external: ({ metricName, metricSelector, targetValue, targetAverageValue }) => ({
    metric: identifier(metricName, metricSelector),
    target: compact({
      type: absent(targetValue) ? "AverageValue" : "Value",
      value: targetValue,
      averageValue: targetAverageValue,
    }),
  }),
};

const NESTED_STATUSES: Shapes = {
  object: ({ target, metricName, currentValue, selector, averageValue }) => ({
    metric: identifier(metricName, selector),
    current: compact({ value: currentValue ?? ZERO, averageValue }),
    describedObject: reference(target),
  }),
  pods: ({ metricName, currentAverageValue, selector }) => ({
    metric: identifier(metricName, selector),
    current: { averageValue: currentAverageValue ?? ZERO },
  }),
  resource: (flat) => ({ name: text(flat.name), current: nestedCurrent(flat) }),
  containerResource: (flat) => ({
    name: text(flat.name),
    current: nestedCurrent(flat),
    container: text(flat.container),
  }),
  external: ({ metricName, metricSelector, currentValue, currentAverageValue }) => ({
    metric: identifier(metricName, metricSelector),
    current: compact({ value: currentValue ?? ZERO, averageValue: currentAverageValue }),
  }),
};

const ZERO = "0";

function bySource(metric: ReadonlyFields, shapes: Shapes): Fields {
  const changed: Fields = { type: text(metric.type) };
  for (const [name, shape] of Object.entries(shapes)) {
    const source = metric[name];
    if (isFields(source)) changed[name] = compact(shape(source));
  }
  return changed;
}

function flatTarget(name: unknown, target: unknown): Fields {
  const { averageUtilization, averageValue } = object(target);
  return { name: text(name), targetAverageUtilization: averageUtilization, targetAverageValue: averageValue };
}

function flatCurrent(name: unknown, current: unknown): Fields {
  const { averageUtilization, averageValue } = object(current);
  return {
    name: text(name),
    currentAverageUtilization: averageUtilization,
    currentAverageValue: averageValue ?? ZERO,
  };
}

function nestedTarget({ targetAverageUtilization, targetAverageValue }: ReadonlyFields): Fields {
  return compact({
    type: absent(targetAverageUtilization) ? "AverageValue" : "Utilization",
    averageValue: targetAverageValue,
    averageUtilization: targetAverageUtilization,
  });
}

function nestedCurrent({ currentAverageUtilization, currentAverageValue }: ReadonlyFields): Fields {
  return compact({ averageValue: currentAverageValue ?? ZERO, averageUtilization: currentAverageUtilization });
}

const identifier = (name: unknown, selector: unknown): Fields => compact({ name: text(name), selector });
const nameOf = (metric: unknown): string => text(object(metric).name);
const reference = (value: unknown): unknown => inOrderOf(CROSS_VERSION_REFERENCE, object(value));

function selectorOf(metric: unknown): unknown {
  const { selector } = object(metric);
  return absent(selector) ? undefined : inOrderOf(LABEL_SELECTOR, object(selector));
}

const CROSS_VERSION_REFERENCE = "io.k8s.api.autoscaling.v2.CrossVersionObjectReference";
const LABEL_SELECTOR = "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector";
