import type { FieldsOf } from "../../machinery/meta/received.js";
import type { DaemonSet } from "../../api/types/apps/v1.js";
import type {
  NodeSelectorTerm,
  NodeSelectorRequirement,
  NodeAffinity,
  Affinity,
  Node,
  Pod,
  PodSpec,
  PodTemplateSpec,
  Toleration,
} from "../../api/types/core/v1.js";
import { nodeRequirement, selectableNode } from "../../api/scheduling/node-selector.js";
import { untolerated } from "../../api/scheduling/taints.js";

export const HASH_LABEL = "controller-revision-hash";
const GENERATION_LABEL = "pod-template-generation";
const GENERATION = "deprecated.daemonset.template.generation";

const NO_EXECUTE = ["not-ready", "unreachable"];
const NO_SCHEDULE = ["disk-pressure", "memory-pressure", "pid-pressure", "unschedulable"];

/** A daemon's pods stay on nodes that are not well, and come to those that take no other pods. */
function daemonTolerations({ tolerations = [], hostNetwork = false }: Partial<PodSpec>): Toleration[] {
  const added: Toleration[] = [
    ...NO_EXECUTE.map((taint) => toleration(taint, "NoExecute")),
    ...NO_SCHEDULE.map((taint) => toleration(taint, "NoSchedule")),
    ...(hostNetwork ? [toleration("network-unavailable", "NoSchedule")] : []),
  ];
  const all = [...tolerations];
  for (const one of added) {
    const index = all.findIndex(({ key, operator, effect, value = "" }) => {
      return key === one.key && operator === one.operator && effect === one.effect && value === "";
    });
    if (index === -1) all.push(one);
    else all[index] = one;
  }
  return all;
}

const toleration = (taint: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({
  key: `node.kubernetes.io/${taint}`,
  operator: "Exists",
  effect,
});

/** Makes the template of a node's pod: with the revision's hash and the tolerations of daemons, and bound to that node. */
export function templateFor(set: DaemonSet, node: string, hash: string): PodTemplateSpec {
  const { metadata, spec } = set.spec?.template ?? {};
  const generation = generationOf(set);
  const labels = {
    ...metadata?.labels,
    ...(generation !== undefined && { [GENERATION_LABEL]: generation }),
    [HASH_LABEL]: hash,
  };
  const affinity = spec?.affinity ?? {};
  const required = {
    nodeSelectorTerms: [
      {
        matchFields: [
          { key: "metadata.name", operator: "In", values: [node] } satisfies FieldsOf<NodeSelectorRequirement>,
        ],
      } satisfies FieldsOf<NodeSelectorTerm>,
    ],
  };
  return {
    metadata: { ...metadata, labels },
    spec: {
      ...spec,
      containers: spec?.containers ?? [],
      tolerations: daemonTolerations(spec ?? {}),
      affinity: {
        ...affinity,
        nodeAffinity: {
          ...affinity.nodeAffinity,
          requiredDuringSchedulingIgnoredDuringExecution: required,
        } satisfies FieldsOf<NodeAffinity>,
      } satisfies FieldsOf<Affinity>,
    } satisfies FieldsOf<PodSpec> as PodSpec,
  };
}

/** The node that a pod is bound to or is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields }) => matchFields ?? []);
  const named = fields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return named?.values?.length === 1 ? named.values[0] : undefined;
}

/**
 * Whether a DaemonSet's pod may start on a node, and whether an existing one may stay: of the taints, only those that evict it make it
 * leave.
 */
export function fitOn(set: DaemonSet, node: Node): { readonly mayRun: boolean; readonly mayStay: boolean } {
  const spec = set.spec?.template.spec;
  const taints = node.spec?.taints ?? [];
  const tolerations = daemonTolerations(spec ?? {});
  const isOther = (spec?.nodeName ?? "") !== "" && spec?.nodeName !== node.metadata?.name;
  if (isOther || nodeRequirement(spec)?.matches(selectableNode(node)) === false)
    return { mayRun: false, mayStay: false };
  const mayRun = untolerated(taints, tolerations) === undefined;
  return { mayRun, mayStay: mayRun || untolerated(taints, tolerations, ["NoExecute"]) === undefined };
}

/** Whether a pod was made of the revision with this hash. */
export const hasHash = ({ metadata }: Pod, hash: string): boolean => metadata?.labels?.[HASH_LABEL] === hash;

/**
 * Whether a pod was created from the set's template, which has this hash. The template's generation counts as well, because a
 * controller manager of another version computes other hashes.
 */
export function isUpdated(set: DaemonSet, pod: Pod, hash: string): boolean {
  const generation = generationOf(set);
  return hasHash(pod, hash) || (generation !== undefined && pod.metadata?.labels?.[GENERATION_LABEL] === generation);
}

/** How often the set's template has changed, as the server counts; undefined where that is not known. */
function generationOf({ metadata }: DaemonSet): string | undefined {
  const generation = metadata?.annotations?.[GENERATION] ?? "";
  return /^\d+$/.test(generation) ? generation : undefined;
}

/** Pods that are bound to their node first, then the oldest. */
export function oldestFirst(pods: readonly Pod[]): Pod[] {
  const isBound = ({ spec }: Pod): number => ((spec?.nodeName ?? "") === "" ? 1 : 0);
  const created = ({ metadata }: Pod): number => Date.parse(metadata?.creationTimestamp ?? "") || 0;
  const byName = (a: Pod, b: Pod): number => ((a.metadata?.name ?? "") < (b.metadata?.name ?? "") ? -1 : 1);
  return [...pods].sort((a, b) => isBound(a) - isBound(b) || created(a) - created(b) || byName(a, b));
}
