import { goV } from "../../machinery/text/go/go-values.js";
import type { JsonPath } from "../../machinery/text/jsonpath/jsonpath.js";
import { object, objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** "Ready is False (ContainersNotReady), waiting for true" */
export function stateOfCondition(found: KubeObject | undefined, type: string, wanted: string): string {
  const { conditions } = object(object(found).status);
  const condition = objects(Array.isArray(conditions) ? conditions : []).find(
    (one) => text(one.type).toLowerCase() === type.toLowerCase(),
  );
  if (condition === undefined) return `no condition ${type} yet, waiting for ${wanted}`;
  const reason = text(condition.reason);
  return `${text(condition.type)} is ${text(condition.status)}${reason === "" ? "" : ` (${reason})`}, waiting for ${wanted}`;
}

export function stateOfPath(path: JsonPath, wanted: string, found: KubeObject | undefined): string {
  let now = "nothing";
  try {
    const [values = []] = path.find(found ?? {});
    if (values.length > 0) now = values.map(goV).join(" ");
  } catch {
    // What is wrong with it, the check says.
  }
  return `is ${now}, waiting for ${wanted}`;
}

export function stateOfDeletion(found: KubeObject | undefined): string {
  const { deletionTimestamp, finalizers } = found?.metadata ?? {};
  if (deletionTimestamp === undefined) return "is there, waiting until it is gone";
  const held = finalizers === undefined || finalizers.length === 0 ? "" : `, held by ${finalizers.join(", ")}`;
  return `is being deleted${held}, waiting until it is gone`;
}
