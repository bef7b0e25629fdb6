import type { KubeObject } from "../../../machinery/meta/object.js";
import type { AdmitCreate, Transform } from "../../registry/resource.js";
import { TooLargeError } from "../../storage/too-large.js";

/**
 * Creates an object, and once more without metadata.managedFields if the storage finds it too large, as kube-apiserver does. Mutating
 * admission has then seen the draft.
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

/** The same for a change, whose admission runs again whole. */
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
