import type { FieldsOf } from "../machinery/meta/received.js";
import type { JsonObject } from "../machinery/meta/json.js";
import type { ApiObject, KubeObject } from "../machinery/meta/object.js";
import { createMergePatch } from "../machinery/patch/merge-patch.js";

/** The annotation that records why a change was made, which `rollout history` shows. */
export const CHANGE_CAUSE = "kubernetes.io/change-cause";

/** Returns a copy with the annotation for `cause`; the object itself without a cause. */
export function withChangeCause(object: KubeObject, cause: string | undefined): KubeObject {
  if (cause === undefined) return object;
  const annotations = { ...object.metadata?.annotations, [CHANGE_CAUSE]: cause };
  return { ...object, metadata: { ...object.metadata, annotations } } satisfies FieldsOf<ApiObject>;
}

/** The merge patch that sets the change cause; {} where it is set already. */
export function changeCausePatch(object: KubeObject, cause: string): JsonObject {
  return createMergePatch(object as JsonObject, withChangeCause(object, cause) as JsonObject);
}
