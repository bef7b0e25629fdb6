import type { JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Steps } from "../../base/async/steps.js";
import { deepCopy, deepCopySteps } from "../../machinery/patch/json-values.js";

/** Copies an object deeply, so that the caller may change the copy. */
export function copyObject(object: KubeObject): KubeObject {
  return deepCopy(object);
}

/** {@link copyObject} in steps. */
export const copyObjectSteps = (object: KubeObject): Steps<KubeObject> =>
  deepCopySteps<KubeObject & JsonValue>(object as KubeObject & JsonValue);
