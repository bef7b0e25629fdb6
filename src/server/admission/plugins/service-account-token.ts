import type { PodSpec, ProjectedVolumeSource } from "../../../api/types/core/v1.js";
import type { Random } from "../../../base/numbers/random.js";
import { children, type Draft, text } from "../../../machinery/meta/received.js";

const MOUNT_PATH = "/var/run/secrets/kubernetes.io/serviceaccount";
/** The letters generated names are made of. */
const LETTERS = "bcdfghjklmnpqrstvwxz2456789";

/** Gives every container without a mount at the usual place the pod's token, the cluster's CA and the namespace. */
export function mountServiceAccountToken(spec: Draft<PodSpec>, random: Random): void {
  const volumes = children(spec, "volumes");
  const existing = volumes.find((volume) => text(volume.name).startsWith("kube-api-access-"));
  const name = typeof existing?.name === "string" ? existing.name : `kube-api-access-${suffix(random)}`;
  let mounted = false;
  for (const container of [...children(spec, "initContainers"), ...children(spec, "containers")]) {
    const mounts = children(container, "volumeMounts");
    if (mounts.some((mount) => mount.mountPath === MOUNT_PATH)) continue;
    container.volumeMounts = [...mounts, { name, readOnly: true, mountPath: MOUNT_PATH }];
    mounted = true;
  }
  if (mounted && existing === undefined) spec.volumes = [...volumes, { name, projected: projection() }];
}

function projection(): Draft<ProjectedVolumeSource> {
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
      { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
      {
        downwardAPI: {
          items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
        },
      },
    ],
    defaultMode: 0o644,
  };
}

function suffix(random: Random): string {
  return Array.from(random.bytes(5), (byte) => LETTERS[byte % LETTERS.length]).join("");
}
