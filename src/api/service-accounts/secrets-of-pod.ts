import type { EnvVar, PodSpec, Volume } from "../types/core/v1.js";

/** The names of the secrets that a pod names, wherever Kubernetes counts it as a use. */
export function secretsOfPod({ volumes, imagePullSecrets, ...spec }: PodSpec): ReadonlySet<string> {
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
  const names = [
    ...(imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(({ env, envFrom }) => [
      ...(envFrom ?? []).map(({ secretRef }) => secretRef?.name),
      ...(env ?? []).map(({ valueFrom }: EnvVar) => valueFrom?.secretKeyRef?.name),
    ]),
    ...(volumes ?? []).flatMap(secretsOfVolume),
  ];
  return new Set(names.flatMap((name) => name || []));
}

function secretsOfVolume(volume: Volume): (string | undefined)[] {
  return [
    volume.secret?.secretName,
    volume.azureFile?.secretName,
    ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
    volume.cephfs?.secretRef?.name,
    volume.cinder?.secretRef?.name,
    volume.flexVolume?.secretRef?.name,
    volume.rbd?.secretRef?.name,
    volume.scaleIO?.secretRef?.name,
    volume.iscsi?.secretRef?.name,
    volume.storageos?.secretRef?.name,
    volume.csi?.nodePublishSecretRef?.name,
  ];
}
