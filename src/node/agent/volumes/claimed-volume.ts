import type { PersistentVolume as ApiVolume, PersistentVolumeClaim, Pod, Volume } from "../../../api/types/core/v1.js";
import type { KubernetesClient } from "../../../client/dynamic/kubernetes-client.js";
import { isStatusError } from "../../../machinery/errors/status-error.js";
import {
  absent,
  object,
  objects,
  quantityText,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import { parseQuantity, quantityValue } from "../../../machinery/text/quantity/quantity.js";
import type { PersistentVolume } from "../../container-runtime.js";
import { VolumeError } from "./volume-files.js";

/** The volume that a claim of a pod is bound to. */
export interface ClaimedVolume {
  readonly volume: PersistentVolume;
  readonly readOnly: boolean;
}

interface ClaimSource {
  readonly client: Pick<KubernetesClient, "of">;
  readonly pod: ReceivedObject<Pod>;
  readonly signal: AbortSignal;
}

/** Finds the volume of the claim that a pod names, or that was made for it. Throws a {@link VolumeError} where a kubelet would wait. */
export async function claimedVolume(volume: Received<Volume>, source: ClaimSource): Promise<ClaimedVolume> {
  const { namespace = "", name: podName = "" } = source.pod.metadata ?? {};
  const name = text(volume.name);
  const named = object(volume.persistentVolumeClaim);
  const claimName = absent(volume.ephemeral) ? text(named.claimName) : `${podName}-${name}`;
  try {
    const bound = await boundVolume(claimName, !absent(volume.ephemeral), source);
    const { uid = "" } = bound.metadata ?? {};
    const { capacity, volumeMode } = object(bound.spec);
    if (volumeMode === "Block")
      throw new Problem(`volume ${name} has volumeMode Block, but is specified in volumeMounts`);
    const size = quantityText(object(capacity).storage);
    return {
      volume: {
        kind: "persistent",
        uid,
        capacity: size === "" ? Number.POSITIVE_INFINITY : Number(quantityValue(parseQuantity(size))),
      },
      readOnly: named.readOnly === true,
    };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    const processed = `error processing PVC ${namespace}/${claimName}: ${error.message}`;
    throw new VolumeError(
      `Unable to attach or mount volumes: unmounted volumes=[${name}], unattached volumes=[], failed to process volumes=[${name}]: ${processed}`,
    );
  }
}

/** Why a claim is not to be mounted, in the kubelet's words. */
class Problem extends Error {}

/** Claim and volume must name each other: a claim may name any volume that it likes to have. */
async function boundVolume(
  claimName: string,
  isOfPod: boolean,
  { client, pod, signal }: ClaimSource,
): Promise<ReceivedObject<ApiVolume>> {
  const { namespace = "", name: podName = "", uid: podUid } = pod.metadata ?? {};
  const claims = client.of("v1", "PersistentVolumeClaim").namespace(namespace);
  const claim: ReceivedObject<PersistentVolumeClaim> = await found("PVC", () => claims.get(claimName, { signal }));
  const owner = objects(claim.metadata?.ownerReferences).find(({ controller }) => controller === true);
  if (isOfPod && owner?.uid !== podUid) {
    const not = `was not created for pod ${namespace}/${podName} (pod is not owner)`;
    throw new Problem(`PVC ${namespace}/${claimName} ${not}`);
  }
  if (claim.metadata?.deletionTimestamp !== undefined) throw new Problem("PVC is being deleted");
  if (text(object(claim.status).phase) !== "Bound") throw new Problem("PVC is not bound");
  const volumeName = text(object(claim.spec).volumeName);
  if (volumeName === "") throw new Problem("PVC has empty pvc.Spec.VolumeName");
  const volumes = client.of("v1", "PersistentVolume");
  const volume: ReceivedObject<ApiVolume> = await found(`PV ${volumeName}`, () => volumes.get(volumeName, { signal }));
  const { claimRef } = object(volume.spec);
  if (absent(claimRef)) {
    const not = "has a nil pv.Spec.ClaimRef indicating it is not yet bound to a claim";
    throw new Problem(`found PV object ${volumeName} but it ${not}`);
  }
  const { uid } = object(claimRef);
  if (uid !== claim.metadata?.uid) {
    const not = `its pv.Spec.ClaimRef.UID ${text(uid)} does not point to claim.UID ${claim.metadata?.uid ?? ""}`;
    throw new Problem(`found PV object ${volumeName} but ${not}`);
  }
  return volume;
}

async function found<T>(what: string, get: () => Promise<T>): Promise<T> {
  try {
    return await get();
  } catch (error) {
    if (!isStatusError(error)) throw error;
    throw new Problem(`failed to fetch ${what} from API server: ${error.message}`);
  }
}
