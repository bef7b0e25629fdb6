import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { isInvalid, isNotFound } from "../../machinery/errors/status-error.js";
import type { ObjectMeta, ApiObject } from "../../machinery/meta/object.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";
import { type ControllerKind, controllerOf, controllerReference } from "./controller-ref.js";

export interface ClaimParts<T extends ApiObject, O extends ApiObject> {
  /** The objects' client, in the owner's namespace. */
  readonly objects: ResourceClient<ApiObject>;
  readonly owner: O;
  readonly ownerKind: ControllerKind;
  /** Reads the owner from the server, not from a cache. */
  readonly readOwner: () => Promise<O>;
  readonly selector: LabelSelector;
  /** Which matching orphans may be adopted. Default: all. */
  readonly mayAdopt?: (object: T) => boolean;
  /** A finalizer that adopted objects get and released ones lose. */
  readonly finalizer?: string;
}

/**
 * Claims the objects that the owner controls and selects. It adopts orphans that it selects and releases objects that it no longer
 * selects, unless the owner is being deleted. Throws the first error after it has tried all.
 */
export async function claim<T extends ApiObject, O extends ApiObject>(
  candidates: readonly T[],
  parts: ClaimParts<T, O>,
): Promise<T[]> {
  const { owner, selector, mayAdopt } = parts;
  const deleted = owner.metadata?.deletionTimestamp !== undefined;
  let ownerIsThere: Promise<void> | undefined;
  const claimed = new Set<T>();
  const changes: Promise<void>[] = [];
  const adoptIfOwnerIsThere = async (object: T): Promise<void> => {
    await (ownerIsThere ??= checkOwner(parts));
    if (await adopt(object, parts)) claimed.add(object);
  };
  for (const object of candidates) {
    const controller = controllerOf(object);
    if (controller !== undefined && controller.uid !== owner.metadata?.uid) continue;
    const matches = selector.matches(object.metadata?.labels);
    if (controller !== undefined) {
      if (matches) claimed.add(object);
      else if (!deleted) changes.push(release(object, parts));
    } else if (
      !deleted &&
      matches &&
      object.metadata?.deletionTimestamp === undefined &&
      mayAdopt?.(object) !== false
    ) {
      changes.push(adoptIfOwnerIsThere(object));
    }
  }
  if (changes.length === 0) return [...claimed];
  const failed = (await Promise.allSettled(changes)).find((result) => result.status === "rejected");
  if (failed !== undefined) throw failed.reason;
  return candidates.filter((object) => claimed.has(object));
}

/** Throws unless the owner is there on the server, the same one and not being deleted. */
async function checkOwner<O extends ApiObject>(parts: Pick<ClaimParts<never, O>, "owner" | "readOwner" | "ownerKind">) {
  const { namespace, name, uid } = parts.owner.metadata ?? {};
  const { metadata } = await parts.readOwner();
  if (metadata?.uid !== uid) {
    const what = `original ${parts.ownerKind.kind} ${namespace}/${name}`;
    throw new Error(`${what} is gone: got uid ${metadata?.uid}, wanted ${uid}`);
  }
  if (metadata?.deletionTimestamp !== undefined) {
    throw new Error(`${namespace}/${name} has just been deleted at ${metadata.deletionTimestamp}`);
  }
}

async function adopt<T extends ApiObject>(object: T, parts: ClaimParts<T, ApiObject>): Promise<boolean> {
  const { name = "", uid } = object.metadata ?? {};
  const ownerReferences = [controllerReference(parts.ownerKind, parts.owner)];
  const { finalizer } = parts;
  // With the uid, so that it fails for a later object of the same name.
  const metadata = {
    uid,
    ownerReferences,
    ...(finalizer !== undefined && ({ finalizers: [finalizer] } satisfies FieldsOf<ObjectMeta>)),
  };
  try {
    await parts.objects.patch(name, { metadata }, { type: "strategic" });
    return true;
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

async function release<T extends ApiObject>(object: T, parts: ClaimParts<T, ApiObject>): Promise<void> {
  const { name = "", uid } = object.metadata ?? {};
  const ownerReferences = [{ $patch: "delete" as const, uid: parts.owner.metadata?.uid }];
  const { finalizer } = parts;
  const metadata = {
    uid,
    ownerReferences,
    ...(finalizer !== undefined && { "$deleteFromPrimitiveList/finalizers": [finalizer] }),
  } satisfies FieldsOf<ObjectMeta>;
  try {
    await parts.objects.patch(name, { metadata }, { type: "strategic" });
  } catch (error) {
    // Gone, or there is nothing to release any more.
    if (!isNotFound(error) && !isInvalid(error)) throw error;
  }
}
