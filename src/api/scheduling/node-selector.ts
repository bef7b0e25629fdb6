import { own } from "../../base/collections/own.js";
import { int64Of } from "../../base/numbers/int64.js";
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "../types/core/v1.js";

/** The parts of a node that selectors match. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
}

export const selectableNode = ({ metadata }: Node): SelectableNode => ({
  name: metadata?.name ?? "",
  labels: metadata?.labels ?? {},
});

/** The requirement of a pod on its node, by the node's labels and name. */
export interface NodeRequirement {
  matches(node: SelectableNode): boolean;
}

/** A pod's nodeSelector and required node affinity; undefined for a pod without either. */
export function nodeRequirement(spec: Pick<PodSpec, "nodeSelector" | "affinity"> = {}): NodeRequirement | undefined {
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const pairs = Object.entries(spec.nodeSelector ?? {});
  if (required == null && pairs.length === 0) return undefined;
  const terms = required?.nodeSelectorTerms;
  return {
    matches: (node) =>
      pairs.every(([key, value]) => own(node.labels, key) === value) &&
      (terms === undefined || terms.some((term) => matchesTerm(term, node))),
  };
}

/** Whether a node matches all of a term; an empty term matches none. */
export function matchesTerm(
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  node: SelectableNode,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => matchesRequirement(requirement, labelOf(node, requirement.key))) &&
    matchFields.every((requirement) => matchesField(requirement, node))
  );
}

function labelOf({ labels }: SelectableNode, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

function matchesField({ key, operator, values = [] }: NodeSelectorRequirement, { name }: SelectableNode): boolean {
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
