import type { FieldsOf } from "../../machinery/meta/received.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import type { Pod, PersistentVolumeClaim, Volume } from "../../api/types/core/v1.js";
import { isPodOver } from "../../api/volumes/claims.js";
import { controllerOf } from "../owned-pods/controller-ref.js";
import type { ControllerContext } from "../context.js";

/** Makes the claims of pods' ephemeral volumes. */
export function ephemeralVolumeController(context: ControllerContext): void {
  const { client, manager } = context;
  const claims = manager.informers.of("v1", "PersistentVolumeClaim");
  const recorder = context.recorder({ component: "ephemeral_volume" });
  manager
    .controllerFor("v1", "Pod", { when: hasEphemeralVolumes })
    .named("ephemeral-volume-controller")
    .watches("v1", "PersistentVolumeClaim", (claim) => {
      const owner = controllerOf(claim);
      if (owner?.kind !== "Pod" || claims.cache.has(`${claim.metadata?.namespace}/${claim.metadata?.name}`)) return [];
      return [{ namespace: claim.metadata?.namespace ?? "", name: owner.name }];
    })
    .reconcile(async ({ namespace, name, object: pod }) => {
      if (pod === undefined || pod.metadata?.deletionTimestamp !== undefined || isPodOver(pod)) return;
      for (const volume of pod.spec?.volumes ?? []) {
        if (volume.ephemeral == null) continue;
        const claim = claims.cache.get(`${namespace}/${ephemeralClaimName(pod, volume)}`);
        try {
          const reason = claim && foreignClaim(pod, claim);
          if (reason !== undefined) throw new Error(reason);
          if (claim === undefined) await client.of("v1", "PersistentVolumeClaim").create(ephemeralClaim(pod, volume));
        } catch (error) {
          const { message } = error as Error;
          recorder.event(pod, "Warning", "FailedBinding", `ephemeral volume ${volume.name}: ${message}`);
          throw new Error(`pod ${namespace}/${name}, ephemeral volume ${volume.name}: ${message}`, { cause: error });
        }
      }
    });
}

const hasEphemeralVolumes = ({ spec }: Pod): boolean =>
  spec?.volumes?.some(({ ephemeral }) => ephemeral != null) === true;

/** The name of the claim of a pod's ephemeral volume. */
const ephemeralClaimName = (pod: Pod, volume: Volume): string => `${pod.metadata?.name ?? ""}-${volume.name}`;

/** Makes the claim of a pod's ephemeral volume; the pod owns it. */
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
      ...(labels && ({ labels } satisfies FieldsOf<ObjectMeta>)),
      ...(annotations && ({ annotations } satisfies FieldsOf<ObjectMeta>)),
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: spec ?? {},
  };
}

/** The error message for a claim that has the pod's claim name and does not belong to the pod; undefined when it does. */
export function foreignClaim(pod: Pod, claim: PersistentVolumeClaim): string | undefined {
  const { namespace = "", name = "", uid } = pod.metadata ?? {};
  if (controllerOf(claim)?.uid === uid) return undefined;
  const { metadata } = claim;
  return `PVC ${metadata?.namespace ?? ""}/${metadata?.name ?? ""} was not created for pod ${namespace}/${name} (pod is not owner)`;
}
