import type { JsonObject } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { createMergePatch } from "../machinery/patch/merge-patch.js";

/** The annotation in which a change says why it was made; what `rollout history` shows. */
export const CHANGE_CAUSE = "kubernetes.io/change-cause";

/** A copy that says `cause`; the object itself when there is nothing to say. */
export function withChangeCause(object: KubeObject, cause: string | undefined): KubeObject {
  if (cause === undefined) return object;
  const annotations = { ...object.metadata?.annotations, [CHANGE_CAUSE]: cause };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** The merge patch that makes the object say `cause`; {} when it does already. */
export function changeCausePatch(object: KubeObject, cause: string): JsonObject {
  return createMergePatch(object as JsonObject, withChangeCause(object, cause) as JsonObject);
}
