import type { FieldsOf } from "../../machinery/meta/received.js";
import { own } from "../../base/collections/own.js";
import type { StatefulSet } from "../../api/types/apps/v1.js";
import type { PodSpec, PersistentVolumeClaim, Pod, PodTemplateSpec, Volume } from "../../api/types/core/v1.js";
import { controllerReference } from "../owned-pods/controller-ref.js";
import { podFromTemplate } from "../owned-pods/pod-control.js";

export const STATEFUL_SET = { apiVersion: "apps/v1", kind: "StatefulSet" } as const;

const POD_NAME_LABEL = "statefulset.kubernetes.io/pod-name";
const INDEX_LABEL = "apps.kubernetes.io/pod-index";
const REVISION_LABEL = "controller-revision-hash";

/** The set and the ordinal that a pod's name tells. */
function parsed({ metadata }: Pod): { readonly parent: string; readonly ordinal: number } | undefined {
  const match = /^(.*)-([0-9]+)$/s.exec(metadata?.name ?? "");
  const ordinal = Number(match?.[2]);
  return match === null || ordinal > 2 ** 31 - 1 ? undefined : { parent: match[1] ?? "", ordinal };
}

/** The ordinal in a pod's name; -1 for a name without one. */
export const ordinalOf = (pod: Pod): number => parsed(pod)?.ordinal ?? -1;

export const isMember = (set: StatefulSet, pod: Pod): boolean => parsed(pod)?.parent === set.metadata?.name;

export const podName = (set: StatefulSet, ordinal: number): string => `${set.metadata?.name ?? ""}-${ordinal}`;

export const wantedReplicas = ({ spec }: StatefulSet): number => spec?.replicas ?? 1;

export const firstOrdinal = ({ spec }: StatefulSet): number => spec?.ordinals?.start ?? 0;

/** Whether the set wants a pod of this ordinal. */
export function isWanted(set: StatefulSet, pod: Pod): boolean {
  const index = ordinalOf(pod) - firstOrdinal(set);
  return ordinalOf(pod) >= 0 && index >= 0 && index < wantedReplicas(set);
}

/** The name of the revision that a pod was made of. */
export const revisionOf = ({ metadata }: Pod): string => metadata?.labels?.[REVISION_LABEL] ?? "";

/** Makes the pod of an ordinal, with the ordinal's name, host name, labels and claims. */
export function memberPod(set: StatefulSet, template: PodTemplateSpec, ordinal: number, revision: string): Pod {
  const pod = podFromTemplate(template, set, controllerReference(STATEFUL_SET, set));
  const name = podName(set, ordinal);
  const labels = { ...pod.metadata?.labels, ...identityLabels(name, ordinal), [REVISION_LABEL]: revision };
  const { serviceName = "" } = set.spec ?? {};
  const spec = {
    ...pod.spec,
    hostname: name,
    ...(serviceName !== "" && ({ subdomain: serviceName } satisfies FieldsOf<PodSpec>)),
  } satisfies FieldsOf<PodSpec>;
  const volumes = memberVolumes(set, ordinal, spec.volumes ?? []);
  return {
    ...pod,
    metadata: { ...pod.metadata, name, labels },
    spec: {
      ...spec,
      containers: spec.containers ?? [],
      ...(volumes.length > 0 && ({ volumes } satisfies FieldsOf<PodSpec>)),
    },
  };
}

export function claimName(set: StatefulSet, template: PersistentVolumeClaim, ordinal: number): string {
  return `${template.metadata?.name ?? ""}-${set.metadata?.name ?? ""}-${ordinal}`;
}

const identityLabels = (name: string, ordinal: number): Readonly<Record<string, string>> => ({
  [POD_NAME_LABEL]: name,
  [INDEX_LABEL]: String(ordinal),
});

/** The volumes of the set's claims take the place of those of the same names. */
function memberVolumes(set: StatefulSet, ordinal: number, others: readonly Volume[]): Volume[] {
  const claims = (set.spec?.volumeClaimTemplates ?? []).map(
    (claim) =>
      ({
        name: claim.metadata?.name ?? "",
        persistentVolumeClaim: { claimName: claimName(set, claim, ordinal) },
      }) satisfies FieldsOf<Volume>,
  );
  const taken = new Set(claims.map(({ name }) => name));
  return [...claims, ...others.filter(({ name }) => !taken.has(name))];
}

/** Returns the pod with its identity labels corrected; undefined when they are right. Nothing else of an existing pod's identity can change. */
export function withIdentity(pod: Pod): Pod | undefined {
  const wanted = identityLabels(pod.metadata?.name ?? "", ordinalOf(pod));
  const { labels } = pod.metadata ?? {};
  if (Object.entries(wanted).every(([key, value]) => own(labels, key) === value)) return undefined;
  return { ...pod, metadata: { ...pod.metadata, labels: { ...labels, ...wanted } } };
}
