import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { text } from "../../machinery/meta/access.js";
import { isJsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Api } from "../api.js";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Lets go of a claim that is being deleted when no pod uses it any more. */
export async function releaseClaim(api: Api, claim: KubeObject): Promise<void> {
  const { name = "", namespace = "", deletionTimestamp, finalizers = [] } = claim.metadata ?? {};
  if (deletionTimestamp === undefined || !finalizers.includes(CLAIM_FINALIZER)) return;
  const { items } = await api.list(`/api/v1/namespaces/${namespace}/pods`);
  if (items.some((pod) => usesClaim(pod, name))) return;
  await removeFinalizer(api, `/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`, CLAIM_FINALIZER);
}

/** Lets go of a volume that is being deleted when no claim is bound to it. */
export async function releaseVolume(api: Api, volume: KubeObject): Promise<void> {
  const { name = "", deletionTimestamp, finalizers = [] } = volume.metadata ?? {};
  if (deletionTimestamp === undefined || !finalizers.includes(VOLUME_FINALIZER)) return;
  const status = volume["status"];
  if (isJsonObject(status) && status["phase"] === "Bound") return;
  await removeFinalizer(api, `/api/v1/persistentvolumes/${name}`, VOLUME_FINALIZER);
}

/** Looks at every claim a pod used, now that the pod is gone or over. */
export async function releaseClaimsOf(api: Api, pod: KubeObject): Promise<void> {
  const namespace = pod.metadata?.namespace ?? "";
  for (const name of claimsOf(pod)) {
    try {
      await releaseClaim(api, await api.get(`/api/v1/namespaces/${namespace}/persistentvolumeclaims/${name}`));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function usesClaim(pod: KubeObject, claim: string): boolean {
  const status = pod["status"];
  const phase = isJsonObject(status) ? status["phase"] : "";
  return phase !== "Succeeded" && phase !== "Failed" && claimsOf(pod).includes(claim);
}

/** Names of the claims a pod mounts; an ephemeral volume's claim is named for pod and volume. */
function claimsOf(pod: KubeObject): readonly string[] {
  const spec = pod["spec"];
  const volumes = isJsonObject(spec) && Array.isArray(spec["volumes"]) ? spec["volumes"] : [];
  return volumes.filter(isJsonObject).flatMap((volume) => {
    const claim = volume["persistentVolumeClaim"];
    if (isJsonObject(claim)) return [text(claim["claimName"])];
    return isJsonObject(volume["ephemeral"]) ? [`${pod.metadata?.name}-${text(volume["name"])}`] : [];
  });
}

async function removeFinalizer(api: Api, path: string, finalizer: string): Promise<void> {
  try {
    const object = await api.get(path);
    const finalizers = (object.metadata?.finalizers ?? []).filter((one) => one !== finalizer);
    await api.update(path, { ...object, metadata: { ...object.metadata, finalizers } });
  } catch (error) {
    // Gone, or changed by somebody: the change brings us back.
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
