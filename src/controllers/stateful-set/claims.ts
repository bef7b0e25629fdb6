import type { StatefulSet } from "../../api/types/apps/v1.js";
import type { PersistentVolumeClaim, Pod } from "../../api/types/core/v1.js";
import type { ApiObject, OwnerReference } from "../../machinery/meta/object.js";
import { type ControllerKind, controllerReference, refersTo } from "../owned-pods/controller-ref.js";
import { claimName, isWanted, ordinalOf, STATEFUL_SET } from "./identity.js";

const POD = { apiVersion: "v1", kind: "Pod" } as const;

/** The claims of a pod: one for each of the set's templates, with the labels that the set selects. */
export function claimsOf(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
  const { namespace } = set.metadata ?? {};
  return (set.spec?.volumeClaimTemplates ?? []).map((template) => ({
    ...template,
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      ...template.metadata,
      name: claimName(set, template, ordinalOf(pod)),
      ...(namespace !== undefined && { namespace }),
      labels: { ...template.metadata?.labels, ...set.spec?.selector.matchLabels },
    },
  }));
}

interface RetentionPolicy {
  readonly deletesWithSet: boolean;
  readonly deletesWithScale: boolean;
}

export function retentionOf({ spec }: StatefulSet): RetentionPolicy {
  const { whenDeleted, whenScaled } = spec?.persistentVolumeClaimRetentionPolicy ?? {};
  return { deletesWithSet: whenDeleted === "Delete", deletesWithScale: whenScaled === "Delete" };
}

/**
 * The owners that a claim should have by the set's retention policy: the set, so that the claim goes with it, or a pod that the
 * set no longer wants. Undefined when it has them. A claim that another controller manages gets neither.
 */
export function claimOwners(
  set: StatefulSet,
  pod: Pod,
  { metadata }: PersistentVolumeClaim,
): readonly OwnerReference[] | undefined {
  const refs = metadata?.ownerReferences ?? [];
  const others = refs.filter((ref) => !names(ref, set, STATEFUL_SET) && !names(ref, pod, POD));
  const isManaged = others.some(({ controller }) => controller === true);
  const wanted = isManaged ? [...others] : [...others, ...ownersBy(set, pod)];
  return sameOwners(refs, wanted) ? undefined : wanted;
}

function ownersBy(set: StatefulSet, pod: Pod): readonly OwnerReference[] {
  const { deletesWithSet, deletesWithScale } = retentionOf(set);
  if (deletesWithScale && !isWanted(set, pod)) return [controllerReference(POD, pod)];
  return deletesWithSet ? [controllerReference(STATEFUL_SET, set)] : [];
}

/** Whether the claim goes with an earlier pod of this name: the new pod must wait until it is gone. */
export function isStale(set: StatefulSet, pod: Pod, { metadata }: PersistentVolumeClaim): boolean {
  if (!retentionOf(set).deletesWithScale) return false;
  const ref = metadata?.ownerReferences?.find((one) => names(one, pod, POD));
  return ref !== undefined && ref.uid !== pod.metadata?.uid;
}

const names = (ref: OwnerReference, object: ApiObject, kind: ControllerKind): boolean =>
  refersTo(ref, kind) && ref.name === object.metadata?.name;

function sameOwners(a: readonly OwnerReference[], b: readonly OwnerReference[]): boolean {
  return (
    a.length === b.length &&
    a.every((ref, index) => ref.uid === b[index]?.uid && (ref.controller === true) === (b[index]?.controller === true))
  );
}
