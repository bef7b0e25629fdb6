import type {
  Pod,
  PodAffinity,
  PodAffinityTerm,
  PodAntiAffinity,
  WeightedPodAffinityTerm,
} from "../../api/types/core/v1.js";
import { Lru } from "../../base/collections/lru.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { type LabelSelector, type Labels, noLabel } from "../../machinery/selectors/label-selector.js";

/** A term of pod affinity, parsed: the pods it selects, by namespace and labels. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  /** Undefined: by name alone. */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
  /** 0 for a required term. */
  readonly weight: number;
}

export interface AffinityTerms {
  readonly requiredAffinity: readonly AffinityTerm[];
  readonly requiredAntiAffinity: readonly AffinityTerm[];
  readonly preferredAffinity: readonly AffinityTerm[];
  readonly preferredAntiAffinity: readonly AffinityTerm[];
}

const NONE: AffinityTerms = {
  requiredAffinity: [],
  requiredAntiAffinity: [],
  preferredAffinity: [],
  preferredAntiAffinity: [],
};

/** Pods of one Deployment have equal terms. */
const known = new Lru<string, AffinityTerms>(1024);

/** Parses the terms of a pod's affinity. Pods of one namespace with equal affinity share the same object. */
export function affinityTerms({ metadata, spec }: Pod): AffinityTerms {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return NONE;
  const namespace = metadata?.namespace ?? "";
  const key = JSON.stringify([namespace, podAffinity, podAntiAffinity]);
  let terms = known.get(key);
  if (terms === undefined) {
    terms = parsedTerms(namespace, { podAffinity, podAntiAffinity });
    known.set(key, terms);
  }
  return terms;
}

function parsedTerms(
  namespace: string,
  {
    podAffinity,
    podAntiAffinity,
  }: { podAffinity: PodAffinity | undefined; podAntiAffinity: PodAntiAffinity | undefined },
): AffinityTerms {
  const required = (terms: readonly PodAffinityTerm[] = []): AffinityTerm[] =>
    terms.map((term) => parsed(namespace, term, 0));
  const preferred = (terms: readonly WeightedPodAffinityTerm[] = []): AffinityTerm[] =>
    terms
      .filter(({ weight }) => weight !== 0)
      .map(({ weight, podAffinityTerm }) => parsed(namespace, podAffinityTerm, weight));
  return {
    requiredAffinity: required(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    requiredAntiAffinity: required(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredAffinity: preferred(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
    preferredAntiAffinity: preferred(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

function parsed(namespace: string, term: PodAffinityTerm, weight: number): AffinityTerm {
  const { namespaces = [], namespaceSelector, labelSelector, topologyKey } = term;
  const own = namespaces.length === 0 && namespaceSelector === undefined;
  return {
    namespaces: new Set(own ? [namespace] : namespaces),
    namespaceSelector: namespaceSelector && selectorOrNone(namespaceSelector),
    selector: selectorOrNone(labelSelector),
    topologyKey,
    weight,
  };
}

/** Whether a term selects pods by the labels of namespaces. */
export function selectsByLabels({ namespaceSelector }: AffinityTerm): boolean {
  return namespaceSelector !== undefined && !namespaceSelector.empty;
}

/** Whether a term selects a pod; `namespaceLabels` are those of the pod's namespace. */
export function selects(
  term: AffinityTerm,
  namespace: string,
  labels: Labels,
  namespaceLabels: Labels | undefined,
): boolean {
  const inNamespace =
    term.namespaces.has(namespace) || (term.namespaceSelector?.matches(namespaceLabels ?? {}) ?? false);
  return inNamespace && term.selector.matches(labels);
}

/** One that cannot be read matches nothing. */
function selectorOrNone(selector: PodAffinityTerm["labelSelector"]): LabelSelector {
  try {
    return selectorFromObject(selector);
  } catch {
    return noLabel;
  }
}
