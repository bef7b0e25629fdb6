import type { KubeObject } from "../../machinery/meta/object.js";
import { sortedJson } from "../../resource/encode-json.js";

/** The annotation in which kubectl apply keeps the configuration that it applied last. */
export const LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration";

/** undefined when apply never touched the object. */
export const lastApplied = (object: KubeObject): string | undefined => object.metadata?.annotations?.[LAST_APPLIED];

/** The object as the annotation records it: without the annotation, but always with annotations. Ends in a newline. */
export function configurationOf(object: KubeObject): string {
  return `${sortedJson(withoutLastApplied(object))}\n`;
}

/** A copy as {@link configurationOf} records it. */
export function withoutLastApplied(object: KubeObject): KubeObject {
  const { [LAST_APPLIED]: _recorded, ...annotations } = object.metadata?.annotations ?? {};
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A copy that carries its own configuration in the annotation. */
export function withLastApplied(object: KubeObject): KubeObject {
  const annotations = { ...object.metadata?.annotations, [LAST_APPLIED]: configurationOf(object) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Records it when asked to, and otherwise only renews a record that is there. */
export function recordConfiguration(object: KubeObject, always: boolean): KubeObject {
  return always || (lastApplied(object) ?? "") !== "" ? withLastApplied(object) : object;
}
