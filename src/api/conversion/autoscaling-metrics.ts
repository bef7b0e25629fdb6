import { absent, type Fields, object, type ReadonlyFields } from "../../machinery/meta/access.js";

/**
 * Metrics as autoscaling/v1 writes them in annotations: the target's or current values lie flat in the source, and the
 * metric's name and selector too.
 */
export function metricSpecToV1(metric: ReadonlyFields): Fields {
  return flatten(metric, "target");
}

export function metricStatusToV1(metric: ReadonlyFields): Fields {
  return flatten(metric, "current");
}

export function metricSpecFromV1(metric: ReadonlyFields): Fields {
  return unflatten(metric, "target");
}

export function metricStatusFromV1(metric: ReadonlyFields): Fields {
  return unflatten(metric, "current");
}

const SOURCES = ["object", "pods", "resource", "containerResource", "external"] as const;

function flatten(metric: ReadonlyFields, side: "target" | "current"): Fields {
  const flat: Fields = { type: metric.type };
  for (const source of SOURCES) {
    if (absent(metric[source])) continue;
    const { metric: identifier, describedObject, name, container } = object(metric[source]);
    const values = object(object(metric[source])[side]);
    const isExternal = source === "external";
    flat[source] = compact({
      ...(source === "object" && { target: describedObject }),
      name,
      metricName: object(identifier).name,
      [isExternal ? "metricSelector" : "selector"]: object(identifier).selector,
      [`${side}AverageUtilization`]: values.averageUtilization,
      [`${side}Value`]: values.value,
      [source === "object" ? "averageValue" : `${side}AverageValue`]: values.averageValue,
      container,
    });
  }
  return flat;
}

function unflatten(metric: ReadonlyFields, side: "target" | "current"): Fields {
  const full: Fields = { type: metric.type };
  for (const source of SOURCES) {
    if (absent(metric[source])) continue;
    const flat = object(metric[source]);
    const utilization = flat[`${side}AverageUtilization`];
    const value = flat[`${side}Value`];
    const averageValue = source === "object" ? flat.averageValue : flat[`${side}AverageValue`];
    const type = absent(utilization) ? (absent(averageValue) ? "Value" : "AverageValue") : "Utilization";
    full[source] = compact({
      name: flat.name,
      container: flat.container,
      ...(source === "object" && { describedObject: flat.target }),
      ...(!absent(flat.metricName) && {
        metric: compact({ name: flat.metricName, selector: flat.metricSelector ?? flat.selector }),
      }),
      [side]: compact({
        ...(side === "target" && { type }),
        averageUtilization: utilization,
        value: source === "object" && type === "AverageValue" ? undefined : value,
        averageValue,
      }),
    });
  }
  return full;
}

function compact(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !absent(value)));
}
