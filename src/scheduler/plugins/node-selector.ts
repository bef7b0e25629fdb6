import type { NodeSelectorRequirement, NodeSelectorTerm, Pod } from "../../api/types/core/v1.js";
import { int64Of } from "../../base/int64.js";
import type { NodeInfo } from "../cache/node-info.js";

type NodeView = Pick<NodeInfo, "name" | "labels">;

/** What a pod requires of the labels and the name of its node. */
export interface NodeRequirement {
  matches(node: NodeView): boolean;
}

/** A pod's nodeSelector and required node affinity; undefined for a pod without either. */
export function nodeRequirement({ spec }: Pod): NodeRequirement | undefined {
  const { nodeSelector, affinity } = spec ?? {};
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const pairs = Object.entries(nodeSelector ?? {});
  if (required === undefined && pairs.length === 0) return undefined;
  const terms = required?.nodeSelectorTerms;
  return {
    matches: (node) =>
      pairs.every(([key, value]) => node.labels[key] === value) &&
      (terms === undefined || terms.some((term) => matchesTerm(term, node))),
  };
}

/** Whether a node fits all of a term; an empty term fits none. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: NodeView): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, labelOf(node, requirement.key))) &&
    matchFields.every((requirement) => matchesField(requirement, node))
  );
}

/**
 * The names of the nodes that required affinity names by `metadata.name`; undefined where a term names none, so that any node may fit. Empty
 * where no node can fit.
 */
export function requiredNodeNames({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const { matchFields = [] } of terms) {
    const named = matchFields.filter(({ key, operator }) => key === "metadata.name" && operator === "In");
    const [first, ...others] = named.map(({ values = [] }) => values);
    if (first === undefined) return undefined;
    for (const name of first) if (others.every((values) => values.includes(name))) names.add(name);
  }
  return names;
}

function labelOf({ labels }: NodeView, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function matchesField({ key, operator, values = [] }: NodeSelectorRequirement, { name }: NodeView): boolean {
  if (key !== "metadata.name" || values.length !== 1) return false;
  return operator === "In" ? values[0] === name : operator === "NotIn" && values[0] !== name;
}

function matchesRequirement({ operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "Gt":
    case "Lt": {
      const [left, right] = [integer(value), integer(values[0])];
      if (left === undefined || right === undefined) return false;
      return operator === "Gt" ? left > right : left < right;
    }
    default:
      return false;
  }
}

function integer(text: string | undefined): bigint | undefined {
  return text !== undefined && /^[+-]?[0-9]+$/.test(text) ? int64Of(text) : undefined;
}
