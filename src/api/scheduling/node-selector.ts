import { int64Of } from "../../base/int64.js";
import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from "../types/core/v1.js";

/** Whether a pod's node selector and required node affinity let it onto the node. */
export function fitsNode(
  { nodeSelector = {}, affinity }: Pick<PodSpec, "nodeSelector" | "affinity">,
  node: Node,
): boolean {
  const labels = node.metadata?.labels ?? {};
  if (Object.entries(nodeSelector).some(([key, value]) => labels[key] !== value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required == null || matchesSelector(required, node);
}

/** One of the terms must match; a selector without terms matches nothing. */
export function matchesSelector({ nodeSelectorTerms }: NodeSelector, node: Node): boolean {
  return (nodeSelectorTerms ?? []).some((term) => matchesTerm(term, node));
}

/** All of the term's requirements must hold; a term without any matches nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const labels = node.metadata?.labels ?? {};
  const fields: Readonly<Record<string, string>> = { "metadata.name": node.metadata?.name ?? "" };
  return (
    matchExpressions.every((requirement) => holds(requirement, labels)) &&
    matchFields.every((requirement) => holds(requirement, fields))
  );
}

function holds(
  { key, operator, values = [] }: NodeSelectorRequirement,
  held: Readonly<Record<string, string>>,
): boolean {
  const value = Object.hasOwn(held, key) ? held[key] : undefined;
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
    case "Lt":
      return compares(operator, value, values[0]);
    default:
      return false;
  }
}

function compares(operator: "Gt" | "Lt", held: string | undefined, wanted: string | undefined): boolean {
  const [left, right] = [integer(held), integer(wanted)];
  if (left === undefined || right === undefined) return false;
  return operator === "Gt" ? left > right : left < right;
}

const integer = (text: string | undefined): bigint | undefined =>
  text !== undefined && /^[+-]?[0-9]+$/.test(text) ? int64Of(text) : undefined;
