import type { Pod } from "../../api/types/core/v1.js";
import type { ResourceClaim, ResourceClaimConsumerReference } from "../../api/types/resource/v1.js";
import { isPodDone, podOwnerOf } from "./pod-claims.js";

/** On an allocated claim: its devices are to be given back before it goes. */
const FINALIZER = "resource.kubernetes.io/delete-protection";
/** At most so many pods share a claim. */
const MOST_CONSUMERS = 256;

/** The claim, reserved for a pod that was put on a node without the scheduler; the same object where nothing is to be done. */
export function reservedFor(claim: ResourceClaim, { metadata }: Pod): ResourceClaim {
  const { name = "", uid = "" } = metadata ?? {};
  const consumers = claim.status?.reservedFor ?? [];
  if (claim.status?.allocation === undefined || consumers.length >= MOST_CONSUMERS) return claim;
  if (consumers.some((consumer) => consumer.uid === uid)) return claim;
  return { ...claim, status: { ...claim.status, reservedFor: [...consumers, { resource: "pods", name, uid }] } };
}

/** Whether a reservation is still one; `pod` is the one of its name. Throws for a consumer that is no pod. */
export function isReservationValid(consumer: ResourceClaimConsumerReference, pod: Pod | undefined): boolean {
  if ((consumer.apiGroup ?? "") !== "" || consumer.resource !== "pods") {
    throw new Error(`unsupported ReservedFor entry: ${JSON.stringify(consumer)}`);
  }
  return pod !== undefined && pod.metadata?.uid === consumer.uid && !isPodDone(pod);
}

/**
 * The claim with the reservations that are left. With the last of them its devices are given back, so that the next pod may get
 * them on another node. The same object where nothing is to be done.
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
      ...(allocation !== undefined && !freed && { allocation }),
      ...(left.length > 0 && { reservedFor: [...left] }),
    },
  };
}

/** The claim without the finalizer that keeps allocated claims, where it is no longer needed; else the same object. */
export function withoutProtection(claim: ResourceClaim, wasReserved: boolean): ResourceClaim {
  const { finalizers = [], deletionTimestamp } = claim.metadata ?? {};
  const { allocation, reservedFor: consumers = [] } = claim.status ?? {};
  if (!finalizers.includes(FINALIZER) || allocation !== undefined || consumers.length > 0) return claim;
  if (!wasReserved && deletionTimestamp === undefined) return claim;
  return { ...claim, metadata: { ...claim.metadata, finalizers: finalizers.filter((one) => one !== FINALIZER) } };
}

/** Whether a claim was made for a pod that will not need it any more. `pod` is the one of its owner's name. */
export function isLeftOver(claim: ResourceClaim, pod: Pod | undefined): boolean {
  const owner = podOwnerOf(claim);
  // Where the pod is gone, the garbage collector deletes the claim.
  if (owner === undefined || pod === undefined) return false;
  return pod.metadata?.uid !== owner.uid || isPodDone(pod);
}
