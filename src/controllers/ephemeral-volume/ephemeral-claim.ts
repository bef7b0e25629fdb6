import type { PersistentVolumeClaim, Pod, Volume } from "../../api/types/core/v1.js";
import { controllerOf } from "../owned-pods/controller-ref.js";

/** The name of the claim of a pod's ephemeral volume. */
export const ephemeralClaimName = (pod: Pod, volume: Volume): string => `${pod.metadata?.name ?? ""}-${volume.name}`;

/** The claim of a pod's ephemeral volume, which goes with the pod. */
export function ephemeralClaim(pod: Pod, volume: Volume): PersistentVolumeClaim {
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const { metadata = {}, spec } = volume.ephemeral?.volumeClaimTemplate ?? {};
  const { labels, annotations } = metadata;
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      namespace,
      name: ephemeralClaimName(pod, volume),
      ...(labels && { labels }),
      ...(annotations && { annotations }),
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: spec ?? {},
  };
}

/** Why a claim of the right name is not the pod's; undefined when it is. */
export function foreignClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const { namespace = "", name = "", uid } = pod.metadata ?? {};
  if (controllerOf(claim)?.uid === uid) return undefined;
  const { metadata } = claim;
  return `PVC ${metadata?.namespace ?? ""}/${metadata?.name ?? ""} was not created for pod ${namespace}/${name} (pod is not owner)`;
}
