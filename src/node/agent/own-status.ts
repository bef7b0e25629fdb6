import { object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { OWN_CONDITIONS } from "./pod-conditions.js";

/** The pod as the API has it now, with the status that was computed last: the API may be behind. */
export function withOwnStatus(pod: KubeObject, before: KubeObject): KubeObject {
  const [status, own] = [object(pod.status), object(before.status)];
  const known = objects(own.conditions);
  const others = objects(status.conditions).filter((one) => !known.some((two) => text(two.type) === text(one.type)));
  const current = known.map((one) =>
    OWN_CONDITIONS.includes(text(one.type))
      ? one
      : (objects(status.conditions).find((two) => text(two.type) === text(one.type)) ?? one),
  );
  return { ...pod, status: { ...status, ...own, conditions: [...current, ...others] } } as KubeObject;
}
