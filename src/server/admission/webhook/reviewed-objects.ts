import { errorMessage } from "../../../base/text/error-message.js";
import type { GroupVersionKind } from "../../../machinery/meta/gvk.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { internalError } from "../../../machinery/errors/status-error.js";
import type { AdmissionAttributes } from "../attributes.js";
import type { ReviewedObjects } from "./admission-review.js";

/** The objects of a request in the version of `kind`, as JSON. */
export async function reviewedObjects(
  attributes: AdmissionAttributes,
  kind: GroupVersionKind,
): Promise<ReviewedObjects> {
  const { object, oldObject, versions } = attributes;
  const encoded = async (one: KubeObject): Promise<Uint8Array> =>
    versions.encode(await versions.convert(one, kind), kind);
  try {
    return { object: object && (await encoded(object)), oldObject: oldObject && (await encoded(oldObject)) };
  } catch (error) {
    // A conversion by another process may fail.
    throw internalError(errorMessage(error));
  }
}
