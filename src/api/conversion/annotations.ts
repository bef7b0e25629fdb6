import type { KubeObject } from "../../machinery/meta/object.js";

/** A copy without some annotations, and without `metadata.annotations` when none is left; the source itself where it has none of them. */
export function withoutAnnotations(source: KubeObject, names: readonly string[]): KubeObject {
  const annotations = source.metadata?.annotations ?? {};
  if (!names.some((name) => Object.hasOwn(annotations, name))) return source;
  const kept = Object.entries(annotations).filter(([name]) => !names.includes(name));
  const { annotations: _, ...metadata } = source.metadata ?? {};
  return { ...source, metadata: kept.length > 0 ? { ...metadata, annotations: Object.fromEntries(kept) } : metadata };
}

/** A copy with some annotations more; the source itself where there are none to add. */
export function withAnnotations(source: KubeObject, added: Readonly<Record<string, string>>): KubeObject {
  if (Object.keys(added).length === 0) return source;
  return { ...source, metadata: { ...source.metadata, annotations: { ...source.metadata?.annotations, ...added } } };
}
