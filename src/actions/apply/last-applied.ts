import type { KubeObject } from "../../machinery/meta/object.js";
import { sortedJson } from "../../resource/encode-json.js";

/** The annotation in which kubectl apply keeps the configuration that it applied last. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** Returns the configuration in the last-applied annotation; undefined when kubectl apply never wrote the object. */
export const lastApplied = (object: KubeObject): string | undefined => object.metadata?.annotations?.[LAST_APPLIED];

/** Encodes the object for the last-applied annotation: without the annotation itself, but always with metadata.annotations. Ends in a newline. */
export function configurationOf(object: KubeObject): string {
  return `${sortedJson(withoutLastApplied(object))}\n`;
}

/** Returns a copy of the object in the form that {@link configurationOf} encodes. */
export function withoutLastApplied(object: KubeObject): KubeObject {
  const { [LAST_APPLIED]: _recorded, ...annotations } = object.metadata?.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Returns a copy with its own configuration in the last-applied annotation. */
export function withLastApplied(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata?.annotations, [LAST_APPLIED]: configurationOf(object) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Updates the last-applied annotation: always with `always`, else only where it exists already. */
export function recordConfiguration(object: KubeObject, always: boolean): KubeObject {
  return always || (lastApplied(object) ?? "") !== "" ? withLastApplied(object) : object;
}
