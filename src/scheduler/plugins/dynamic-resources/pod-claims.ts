import type { Pod } from "../../../api/types/core/v1.js";
import type { ResourceClaim } from "../../../api/types/resource/v1.js";
import type { PodInfo } from "../../cache/pod-info.js";

export const hasResourceClaims = ({ spec }: Pod): boolean => (spec?.resourceClaims ?? []).length > 0;

/** The claims of a pod, or the message of what is missing. */
export function podClaims(
  { pod, namespace }: PodInfo,
  get: (key: string) => ResourceClaim | undefined,
): readonly ResourceClaim[] | string {
  const claims: ResourceClaim[] = [];
  for (const { name, resourceClaimName, resourceClaimTemplateName } of pod.spec?.resourceClaims ?? []) {
    const made = pod.status?.resourceClaimStatuses?.find((status) => status.name === name);
    // A claim that the pod turned out not to need.
    if (resourceClaimName === undefined && made !== undefined && made.resourceClaimName === undefined) continue;
    const claimName = resourceClaimName ?? made?.resourceClaimName;
    if (claimName === undefined) {
      return resourceClaimTemplateName === undefined
        ? `pod claim ${name}: neither resourceClaimName nor resourceClaimTemplateName set`
        : `waiting for dynamic resource controller to create the resourceclaim "${name}"`;
    }
    const claim = get(`${namespace}/${claimName}`);
    if (claim === undefined) return `resourceclaim.resource.k8s.io "${claimName}" not found`;
    if (claim.metadata?.deletionTimestamp !== undefined) return `resourceclaim "${claimName}" is being deleted`;
    claims.push(claim);
  }
  return claims;
}

export const isReservedFor = ({ status }: ResourceClaim, uid: string): boolean =>
  status?.reservedFor?.some((consumer) => consumer.uid === uid) === true;
