import type { Description } from "./description.js";

const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";
const MAX_ANNOTATION_LENGTH = 140;

/** "Labels:" and a line for each, sorted by key. */
export function describeLabels(
  description: Description,
  title: string,
  labels: Readonly<Record<string, string>> = {},
  indent = "",
  innerIndent = "\t",
): void {
  const keys = Object.keys(labels).sort();
  const lines = keys.length === 0 ? ["<none>"] : keys.map((key) => `${key}=${labels[key]}`);
  description.write(0, `${indent}${title}:${innerIndent}${lines.join(`\n${indent}${innerIndent}`)}\n`);
}

/** "Annotations:" and a line for each, sorted by key; long values and values of several lines stand below their key, cut. */
export function describeAnnotations(
  description: Description,
  title: string,
  annotations: Readonly<Record<string, string>> = {},
): void {
  const keys = Object.keys(annotations)
    .filter((key) => key !== LAST_APPLIED)
    .sort();
  if (keys.length === 0) {
    description.write(0, `${title}:\t<none>\n`);
    return;
  }
  const lines = keys.flatMap((key) => {
    const value = (annotations[key] ?? "").replace(/\n$/, "");
    if (byteLength(value) + byteLength(key) + 2 <= MAX_ANNOTATION_LENGTH && !value.includes("\n")) {
      return [`${key}: ${value}`];
    }
    return [`${key}:`, ...value.split("\n").map((line) => `  ${shorten(line, MAX_ANNOTATION_LENGTH - 2)}`)];
  });
  description.write(0, `${title}:\t${lines.join("\n\t")}\n`);
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length;

const shorten = (text: string, length: number): string =>
  byteLength(text) > length ? `${new TextDecoder().decode(new TextEncoder().encode(text).slice(0, length))}...` : text;
