import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { eventFromCore, eventToCore } from "./event.js";
import { autoscalerFromV2, autoscalerToV2 } from "./horizontal-pod-autoscaler.js";

export { eventFromCore, eventToCore } from "./event.js";
export { autoscalerFromV2, autoscalerToV2 } from "./horizontal-pod-autoscaler.js";

interface Conversion {
  readonly toHub: (object: KubeObject) => KubeObject;
  readonly fromHub: (object: KubeObject) => KubeObject;
}

/** Versions whose shape differs from the hub's (autoscaling/v2, core v1), by "apiVersion/Kind". */
const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  "autoscaling/v1/HorizontalPodAutoscaler": { toHub: autoscalerToV2, fromHub: autoscalerFromV2 },
  "events.k8s.io/v1/Event": { toHub: eventToCore, fromHub: eventFromCore },
};

/** A copy of `object` in another version of its kind, by way of the hub. Versions of one shape only change apiVersion. */
export function convert(object: KubeObject, from: GroupVersionKind, to: GroupVersionKind): KubeObject {
  const [source, target] = [conversionOf(from), conversionOf(to)];
  const hub = source === target ? object : (source?.toHub(object) ?? object);
  const result = source === target ? hub : (target?.fromHub(hub) ?? hub);
  return { ...result, apiVersion: formatGroupVersion(to), kind: to.kind };
}

function conversionOf(gvk: GroupVersionKind): Conversion | undefined {
  const key = `${formatGroupVersion(gvk)}/${gvk.kind}`;
  return Object.hasOwn(CONVERSIONS, key) ? CONVERSIONS[key] : undefined;
}
