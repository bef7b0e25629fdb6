import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Deployment, ReplicaSet, ReplicaSetStatus } from "../../api/types/apps/v1.js";
import type { PodTemplateSpec } from "../../api/types/core/v1.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { deepEqual } from "../../machinery/patch/json-values.js";

/** The label by which the ReplicaSets of a Deployment, and their pods, differ. */
export const HASH_LABEL = "pod-template-hash";

/** The ReplicaSets of a Deployment. */
export interface Generations {
  /** The one with the current template. */
  readonly newSet: ReplicaSet | undefined;
  readonly old: readonly ReplicaSet[];
}

/** Finds the set of the current template; of several the oldest. */
export function generationsOf(deployment: Deployment, sets: readonly ReplicaSet[]): Generations {
  const template = deployment.spec?.template ?? {};
  const newSet = byAge(sets).find(({ spec }) => equalIgnoringHash(spec?.template ?? {}, template));
  return { newSet, old: sets.filter(({ metadata }) => metadata?.uid !== newSet?.metadata?.uid) };
}

/** All ReplicaSets, the new one last. */
export function allOf({ newSet, old }: Generations): readonly ReplicaSet[] {
  return newSet === undefined ? old : [...old, newSet];
}

export function equalIgnoringHash(a: PodTemplateSpec, b: PodTemplateSpec): boolean {
  return deepEqual(withoutHash(a), withoutHash(b));
}

function withoutHash(template: PodTemplateSpec): object {
  const { labels, ...metadata } = template.metadata ?? {};
  const { [HASH_LABEL]: _, ...others } = labels ?? {};
  return { metadata: { ...metadata, labels: others }, spec: template.spec ?? {} } satisfies FieldsOf<PodTemplateSpec>;
}

export const nameOf = ({ metadata }: ReplicaSet): string => metadata?.name ?? "";
export const sizeOf = ({ spec }: ReplicaSet): number => spec?.replicas ?? 1;
export const isScaledUp = (set: ReplicaSet): boolean => sizeOf(set) > 0;
export const totalSize = (sets: readonly ReplicaSet[]): number => sum(sets.map(sizeOf));

type Count = "replicas" | "readyReplicas" | "availableReplicas";

/** The sum of a count over the statuses of ReplicaSets. */
export function counted(sets: readonly ReplicaSet[], count: Count): number {
  return sum(sets.map(({ status }) => status?.[count] ?? 0));
}

/** The number of the ReplicaSets' pods that are being deleted; undefined where an observed status does not report it. */
export function terminatingReplicas(sets: readonly ReplicaSet[]): number | undefined {
  const observed = sets
    .map(({ status }): Partial<ReplicaSetStatus> => status ?? {})
    .filter((status) => (status.observedGeneration ?? 0) > 0 || status.terminatingReplicas !== undefined);
  if (observed.some((status) => status.terminatingReplicas === undefined)) return undefined;
  return sum(observed.map((status) => status.terminatingReplicas ?? 0));
}

/** Sorts ReplicaSets, the oldest first; those of the same age by name. */
export const byAge = (sets: readonly ReplicaSet[]): ReplicaSet[] => [...sets].sort(compareAge);

export function compareAge(a: ReplicaSet, b: ReplicaSet): number {
  const [first, second] = [a, b].map(({ metadata }) => Date.parse(metadata?.creationTimestamp ?? "") || 0);
  return (first ?? 0) - (second ?? 0) || compareKeys(a.metadata?.name ?? "", b.metadata?.name ?? "");
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
