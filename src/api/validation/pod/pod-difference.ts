import { encodeJson } from "../../../machinery/wire/json/json-encoder.js";
import type { ReadonlyFields } from "../../../machinery/meta/access.js";
import { goJson } from "../go-shapes.js";
import { unifiedDiff } from "../unified-diff.js";

/** Two values of an internal type as kube-apiserver shows how they differ: a unified diff of their indented JSON. */
export function difference(type: string, old: ReadonlyFields, value: ReadonlyFields): string {
  return unifiedDiff(lines(type, old), lines(type, value));
}

export const specDifference = (old: ReadonlyFields, spec: ReadonlyFields): string => difference("PodSpec", old, spec);

function lines(type: string, value: ReadonlyFields): string[] {
  const text = JSON.stringify(JSON.parse(encodeJson(withoutEmpty(goJson(type, value)))), null, 1);
  return text.split("\n");
}

/** A list that is there and empty was none when the object was stored. */
function withoutEmpty(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 0 ? null : value.map(withoutEmpty);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, withoutEmpty(held)]));
}
