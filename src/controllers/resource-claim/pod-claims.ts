import type { Pod, PodResourceClaim } from "../../api/types/core/v1.js";
import type { ResourceClaim, ResourceClaimTemplate } from "../../api/types/resource/v1.js";
import { controllerOf } from "../owned-pods/controller-ref.js";

/** On a claim: the entry of its pod that it was made for. */
const POD_CLAIM_ANNOTATION = "resource.kubernetes.io/pod-claim-name";
/** What the server appends to a generated name takes the rest of the 63 characters. */
const LONGEST_BASE = 57;

/** The ResourceClaim of an entry of a pod. */
export type NamedClaim =
  | { readonly state: "named"; readonly name: string; readonly generated: boolean }
  /** A template is to make it. */
  | { readonly state: "missing"; readonly template: string }
  /** The entry needs none. */
  | { readonly state: "unneeded" };

export function claimOfEntry(pod: Pod, entry: PodResourceClaim): NamedClaim {
  if (entry.resourceClaimName !== undefined) return { state: "named", name: entry.resourceClaimName, generated: false };
  if (entry.resourceClaimTemplateName === undefined) return { state: "unneeded" };
  const known = pod.status?.resourceClaimStatuses?.find(({ name }) => name === entry.name);
  if (known === undefined) return { state: "missing", template: entry.resourceClaimTemplateName };
  if (known.resourceClaimName === undefined) return { state: "unneeded" };
  return { state: "named", name: known.resourceClaimName, generated: true };
}

/** The names of the claims that a pod uses, as far as they are known. */
export function namesOfClaims(pod: Pod): string[] {
  return (pod.spec?.resourceClaims ?? []).flatMap((entry) => {
    const claim = claimOfEntry(pod, entry);
    return claim.state === "named" ? [claim.name] : [];
  });
}

/** Whether no container of a pod runs or will run. */
export function isPodDone({ metadata, spec, status }: Pod): boolean {
  if (status?.phase === "Succeeded" || status?.phase === "Failed") return true;
  return metadata?.deletionTimestamp !== undefined && (spec?.nodeName ?? "") === "";
}

/** The claim that a template describes, for an entry of a pod; it goes with the pod. */
export function generatedClaim(pod: Pod, entry: PodResourceClaim, template: ResourceClaimTemplate): ResourceClaim {
  const { namespace = "", name = "", uid = "" } = pod.metadata ?? {};
  const { labels, annotations } = template.spec.metadata ?? {};
  return {
    apiVersion: "resource.k8s.io/v1",
    kind: "ResourceClaim",
    metadata: {
      namespace,
      generateName: generatedName(name, entry.name),
      ...(labels && { labels }),
      annotations: { ...annotations, [POD_CLAIM_ANNOTATION]: entry.name },
      ownerReferences: [{ apiVersion: "v1", kind: "Pod", name, uid, controller: true, blockOwnerDeletion: true }],
    },
    spec: template.spec.spec,
  };
}

/** "<pod>-<entry>-", both shortened by the same share where they are too long together. */
export function generatedName(pod: string, entry: string): string {
  const whole = `${pod}-${entry}-`;
  if (whole.length <= LONGEST_BASE) return whole;
  const shortened = (text: string): string => text.slice(0, Math.trunc((text.length * LONGEST_BASE) / whole.length));
  return `${shortened(pod)}-${shortened(entry)}`;
}

/** Whether a claim was made for this entry of this pod. */
export function isMadeFor(claim: ResourceClaim, pod: Pod, entry: PodResourceClaim): boolean {
  return isOwnedBy(claim, pod) && claim.metadata?.annotations?.[POD_CLAIM_ANNOTATION] === entry.name;
}

export function isOwnedBy(claim: ResourceClaim, { metadata }: Pod): boolean {
  const owner = podOwnerOf(claim);
  return owner !== undefined && owner.uid === metadata?.uid;
}

/** The pod that a claim was made for; undefined for a claim of a user. */
export function podOwnerOf(claim: ResourceClaim): { readonly name: string; readonly uid: string } | undefined {
  const owner = controllerOf(claim);
  return owner?.apiVersion === "v1" && owner.kind === "Pod" ? owner : undefined;
}
