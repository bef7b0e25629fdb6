import { badRequest } from "../../../machinery/errors/status-error.js";
import type { ServedResource } from "../served-resource.js";

/** Returns the field that a label of a field selector stands for. Throws 400 for a label that the kind does not support. */
export type FieldLabels = (label: string) => string;

/**
 * Returns the field labels of a resource. A kind without labels of its own has metadata.name and metadata.namespace, even if it is
 * cluster-scoped.
 */
export function fieldLabelsOf({ facts, strategy, codec, release }: ServedResource): FieldLabels {
  return (label) => {
    const own = strategy.fieldLabels;
    if (label === "metadata.name") return label;
    if (label === "metadata.namespace" && (facts.namespaced || own === undefined)) return label;
    if (own === undefined) {
      const text = `"${label}" is not a known field selector: only "metadata.name", "metadata.namespace"`;
      throw badRequest(text);
    }
    const field =
      typeof own === "function" ? fieldIn(own(codec.apiVersion, release), label) : own.find((known) => known === label);
    if (field !== undefined) return field;
    throw badRequest(strategy.fieldLabelRefusal?.(label, codec.apiVersion) ?? `field label not supported: ${label}`);
  };
}

const fieldIn = (fields: Readonly<Record<string, string>>, label: string): string | undefined =>
  Object.hasOwn(fields, label) ? fields[label] : undefined;
