import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmitCreate, Transform } from "../../registry/resource.js";
import { TooLargeError } from "../../storage/kv.js";

/**
 * Creates an object. If it is too large for the storage, tries once more without metadata.managedFields, as kube-apiserver does, and without
 * mutating admission, which has seen the draft.
 */
export async function createOrRetry<T>(
  draft: KubeObject,
  admit: AdmitCreate,
  create: (draft: KubeObject, admit: AdmitCreate) => Promise<T>,
): Promise<T> {
  try {
    return await create(draft, admit);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return create(unmanaged(draft), { ...admit, mutate: undefined });
  }
}

/** As {@link createOrRetry}, for an update, for which all of admission runs again. */
export async function changeOrRetry<T>(transform: Transform, change: (transform: Transform) => Promise<T>): Promise<T> {
  try {
    return await change(transform);
  } catch (error) {
    if (!(error instanceof TooLargeError)) throw error;
    return change(async (current) => unmanaged(await transform(current)));
  }
}

function unmanaged(draft: KubeObject): KubeObject {
  delete draft.metadata?.managedFields;
  return draft;
}
