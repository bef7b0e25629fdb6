import type { Pod } from "../types/core/v1.js";

/** The claims that a pod mounts; an ephemeral volume's claim is named for pod and volume. */
export function claimsOfPod({ metadata, spec }: Pod): { readonly namespace: string; readonly name: string }[] {
  const namespace = metadata?.namespace ?? "";
  return (spec?.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }) => {
    if (persistentVolumeClaim != null) return [{ namespace, name: persistentVolumeClaim.claimName }];
    return ephemeral == null ? [] : [{ namespace, name: `${metadata?.name}-${name}` }];
  });
}

export function isPodOver({ status }: Pod): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}
