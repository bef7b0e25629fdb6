import type { Pod } from "../../api/types/core/v1.js";
import type { Labels } from "../../machinery/selectors/label-selector.js";
import { type AffinityTerm, type AffinityTerms, affinityTerms, selectsByLabels } from "./affinity-terms.js";
import { type HostPort, hostPorts } from "./host-ports.js";
import { podRequests } from "./pod-requests.js";
import type { Resources } from "./resources.js";

/** A pod with what scheduling asks of it again and again, computed once for a state of the pod. */
export interface PodInfo {
  readonly pod: Pod;
  readonly uid: string;
  /** "<namespace>/<name>". */
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  readonly priority: number;
  readonly requests: Resources;
  readonly nonZeroMilliCpu: number;
  readonly nonZeroMemory: number;
  readonly ports: readonly HostPort[];
  readonly affinity: AffinityTerms;
  readonly hasAffinity: boolean;
  /** A term of its affinity selects namespaces by their labels. */
  readonly selectsNamespaces: boolean;
  /** The names of the claims that the pod's volumes name or, for ephemeral ones, will have: "<namespace>/<claim>". */
  readonly claims: readonly string[];
  readonly isTerminating: boolean;
}

const NO_LABELS: Labels = Object.freeze({});

export function podInfo(pod: Pod): PodInfo {
  const { metadata, spec } = pod;
  const { namespace = "", name = "", uid = "", labels = NO_LABELS } = metadata ?? {};
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const affinity = affinityTerms(pod);
  return {
    pod,
    uid,
    key: `${namespace}/${name}`,
    namespace,
    name,
    labels,
    priority: spec?.priority ?? 0,
    ...podRequests(pod),
    ports: hostPorts(pod),
    affinity,
    selectsNamespaces: Object.values(affinity).some((terms: readonly AffinityTerm[]) => terms.some(selectsByLabels)),
    hasAffinity: podAffinity !== undefined || podAntiAffinity !== undefined,
    claims: claimsOf(pod, namespace, name),
    isTerminating: metadata?.deletionTimestamp !== undefined,
  };
}

function claimsOf({ spec }: Pod, namespace: string, pod: string): readonly string[] {
  const claims: string[] = [];
  for (const { name, persistentVolumeClaim, ephemeral } of spec?.volumes ?? []) {
    if (persistentVolumeClaim !== undefined) claims.push(`${namespace}/${persistentVolumeClaim.claimName}`);
    else if (ephemeral !== undefined) claims.push(`${namespace}/${pod}-${name}`);
  }
  return claims;
}
