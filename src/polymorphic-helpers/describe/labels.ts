import { object, type OrAbsent, text } from "../../machinery/meta/received.js";
import type { DescriptionWriter } from "./description.js";
import type { ApiObject } from "../../machinery/meta/object.js";

type Labels = OrAbsent<Readonly<Record<string, OrAbsent<string>>>>;

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const MAX_ANNOTATION_LENGTH = 140;

/** Writes "Labels:" and a line for each label, sorted by key. */
export function describeLabels(
  description: DescriptionWriter,
  title: string,
  labels: Labels,
  indent = "",
  innerIndent = "\t",
): void {
  description.write(0, `${indent}${title}:${innerIndent}`);
  const keys = Object.keys(object(labels)).sort();
  if (keys.length === 0) description.write(0, "<none>\n");
  for (const [index, key] of keys.entries()) {
    if (index > 0) goOn(description, indent, innerIndent);
    description.write(0, `${key}=${labels?.[key]}\n`);
  }
}

/** The beginning of a further line. As kubectl, in two pieces, each of which a nested writer indents. */
function goOn(description: DescriptionWriter, indent: string, innerIndent: string): void {
  description.write(0, indent);
  description.write(0, innerIndent);
}

/** Writes "Annotations:" and a line for each, sorted by key; long values and values with several lines are below their key, cut. */
export function describeAnnotations(description: DescriptionWriter, title: string, annotations: Labels): void {
  const keys = Object.keys(object(annotations))
    .filter((key) => key !== LAST_APPLIED)
    .sort();
  description.write(0, `${title}:\t`);
  if (keys.length === 0) description.write(0, "<none>\n");
  for (const [index, key] of keys.entries()) {
    if (index > 0) description.write(0, "\t");
    const value = text(annotations?.[key]).replace(/\n$/, "");
    if (byteLength(value) + byteLength(key) + 2 <= MAX_ANNOTATION_LENGTH && !value.includes("\n")) {
      description.write(0, `${key}: ${value}\n`);
      continue;
    }
    description.write(0, `${key}:\n`);
    for (const line of value.split("\n")) {
      description.write(0, `\t  ${shorten(line, MAX_ANNOTATION_LENGTH - 2)}\n`);
    }
  }
}

/** Formats labels as "a=b,c=d", sorted by key. */
export function formatLabels(labels: Labels): string {
  const pairs = Object.keys(object(labels))
    .sort()
    .map((key) => `${key}=${labels?.[key]}`);
  return pairs.length === 0 ? "<none>" : pairs.join(",");
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

/** Cuts a longer text after `length` bytes, and adds dots. */
export const shorten = (text: string, length: number): string =>
  byteLength(text) > length ? `${new TextDecoder().decode(new TextEncoder().encode(text).slice(0, length))}...` : text;

/** Writes "Name:" and, for a namespaced object, "Namespace:". */
export function describeName(description: DescriptionWriter, { metadata }: ApiObject, namespaced = true): void {
  description.write(0, `Name:\t${text(object(metadata).name)}\n`);
  if (namespaced) description.write(0, `Namespace:\t${text(object(metadata).namespace)}\n`);
}

export function describeLabelsAndAnnotations(description: DescriptionWriter, { metadata }: ApiObject): void {
  describeLabels(description, "Labels", object(metadata).labels);
  describeAnnotations(description, "Annotations", object(metadata).annotations);
}
