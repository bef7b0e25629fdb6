import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Pod, PodResourceClaim } from "../../api/types/core/v1.js";
import type {
  ResourceClaimStatus,
  ResourceClaim,
  ResourceClaimTemplate,
  ResourceClaimConsumerReference,
} from "../../api/types/resource/v1.js";
import { controllerOf } from "../owned-pods/controller-ref.js";

/** On a claim: the entry of its pod that it was made for. */
const POD_CLAIM_ANNOTATION = "resource.kubernetes.io/pod-claim-name";
/** What the server appends to a generated name takes the rest of the 63 characters. */
const LONGEST_BASE = 57;

/** The ResourceClaim of an entry of a pod. */
export type NamedClaim =
  | { readonly state: "named"; readonly name: string; readonly generated: boolean }
  /** A template is to make it. */
  | { readonly state: "missing"; readonly template: string }
  /** The entry needs none. */
  | { readonly state: "unneeded" };

export function claimOfEntry(pod: Pod, entry: PodResourceClaim): NamedClaim {
  if (entry.resourceClaimName !== undefined) return { state: "named", name: entry.resourceClaimName, generated: false };
  if (entry.resourceClaimTemplateName === undefined) return { state: "unneeded" };
  const known = pod.status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (known === undefined) return { state: "missing", template: entry.resourceClaimTemplateName };
  if (known.resourceClaimName === undefined) return { state: "unneeded" };
  return { state: "named", name: known.resourceClaimName, generated: true };
}

/** The names of the claims that a pod uses, as far as they have been created. */
export function namesOfClaims(pod: Pod): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const claim = claimOfEntry(pod, entry);
    return claim.state === "named" ? [claim.name] : [];
  });
}

/** Whether no container of a pod runs or will run. */
export function isPodDone({ metadata, spec, status }: Pod): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  return metadata?.deletionTimestamp !== undefined && (spec?.nodeName ?? "") === "";
}

/** Makes the claim of a template for a pod's entry; the pod owns it. */
export function generatedClaim(pod: Pod, entry: PodResourceClaim, template: ResourceClaimTemplate): ResourceClaim {
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const { labels, annotations } = template.spec?.metadata ?? {};
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      namespace,
      generateName: generatedName(name, entry.name),
      ...(labels && ({ labels } satisfies FieldsOf<ObjectMeta>)),
      annotations: { ...annotations, [POD_CLAIM_ANNOTATION]: entry.name },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: template.spec?.spec ?? {},
  };
}

/** The prefix "<pod>-<entry>-" of a generated name; both parts are shortened in proportion if it is too long. */
export function generatedName(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= LONGEST_BASE) return whole;
  const shortened = (text: string): string => text.slice(0, Math.trunc((text.length * LONGEST_BASE) / whole.length));
  return `${shortened(pod)}-${shortened(entry)}`;
}

/** Whether a claim was made for this entry of this pod. */
export function isMadeFor(claim: ResourceClaim, pod: Pod, entry: PodResourceClaim): boolean {
  return isOwnedBy(claim, pod) && claim.metadata?.annotations?.[POD_CLAIM_ANNOTATION] === entry.name;
}

export function isOwnedBy(claim: ResourceClaim, { metadata }: Pod): boolean {
  const owner = podOwnerOf(claim);
  return owner !== undefined && owner.uid === metadata?.uid;
}

/** The pod that a claim was made for; undefined for a claim of a user. */
export function podOwnerOf(claim: ResourceClaim): { readonly name: string; readonly uid: string } | undefined {
  const owner = controllerOf(claim);
  return owner?.apiVersion === "v1" && owner.kind === "Pod" ? owner : undefined;
}

/** On an allocated claim: its devices are to be given back before it goes. */
const FINALIZER = "resource.kubernetes.io/delete-protection";
/** At most so many pods share a claim. */
const MOST_CONSUMERS = 256;

/** Returns the claim reserved for a pod that was assigned to a node without the scheduler; the same object where nothing changes. */
export function reservedFor(claim: ResourceClaim, { metadata }: Pod): ResourceClaim {
  const { name = "", uid = "" } = metadata ?? {};
  const consumers = claim.status?.reservedFor ?? [];
  if (claim.status?.allocation === undefined || consumers.length >= MOST_CONSUMERS) return claim;
  if (consumers.some((consumer) => consumer.uid === uid)) return claim;
  return { ...claim, status: { ...claim.status, reservedFor: [...consumers, { resource: "pods", name, uid }] } };
}

/** Whether a claim's reservation for a pod is still needed; `pod` is the pod with the consumer's name. Throws for a consumer that is not a pod. */
export function isReservationValid(consumer: ResourceClaimConsumerReference, pod: Pod | undefined): boolean {
  if ((consumer.apiGroup ?? "") !== "" || consumer.resource !== "pods") {
    throw new Error(`unsupported ReservedFor entry: ${JSON.stringify(consumer)}`);
  }
  return pod !== undefined && pod.metadata?.uid === consumer.uid && !isPodDone(pod);
}

/**
 * Returns the claim with the remaining reservations. When the last one is removed, its devices are deallocated, so that the next
 * pod may get them on another node. The same object where nothing changes.
 */
export function withReservations(claim: ResourceClaim, left: readonly ResourceClaimConsumerReference[]): ResourceClaim {
  const { reservedFor: before = [], allocation, ...rest } = claim.status ?? {};
  const isProtected = claim.metadata?.finalizers?.includes(FINALIZER) === true;
  const isLeaving = claim.metadata?.deletionTimestamp !== undefined;
  const freed = isProtected && left.length === 0 && (before.length > 0 || isLeaving);
  if (left.length === before.length && !(freed && allocation !== undefined)) return claim;
  return {
    ...claim,
    status: {
      ...rest,
      ...(allocation !== undefined && !freed && ({ allocation } satisfies FieldsOf<ResourceClaimStatus>)),
      ...(left.length > 0 && ({ reservedFor: [...left] } satisfies FieldsOf<ResourceClaimStatus>)),
    },
  };
}

/** Returns the claim without the finalizer of allocated claims where that is no longer needed; else the same object. */
export function withoutProtection(claim: ResourceClaim, wasReserved: boolean): ResourceClaim {
  const { finalizers = [], deletionTimestamp } = claim.metadata ?? {};
  const { allocation, reservedFor: consumers = [] } = claim.status ?? {};
  if (!finalizers.includes(FINALIZER) || allocation !== undefined || consumers.length > 0) return claim;
  if (!wasReserved && deletionTimestamp === undefined) return claim;
  return { ...claim, metadata: { ...claim.metadata, finalizers: finalizers.filter((one) => one !== FINALIZER) } };
}

/**
 * Whether a claim was made for a pod that is done, or that another pod of its name has replaced. `pod` is the pod with the owner's name.
 * False where there is none: the garbage collector deletes the claim then.
 */
export function isLeftOver(claim: ResourceClaim, pod: Pod | undefined): boolean {
  const owner = podOwnerOf(claim);
  // Where the pod is gone, the garbage collector deletes the claim.
  if (owner === undefined || pod === undefined) return false;
  return pod.metadata?.uid !== owner.uid || isPodDone(pod);
}
