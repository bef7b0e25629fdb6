import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { createMergePatch } from "../../machinery/patch/merge-patch.js";
import { sortedJson } from "../../resource/encode-json.js";
import { LAST_APPLIED } from "./last-applied.js";

export interface AnnotationPatch {
  /** A merge patch that does nothing but set the annotation. */
  readonly patch: string;
  /** What the annotation will hold. */
  readonly configuration: string;
}

/** Records the object as it stands, whatever annotations it has, as what was applied last. */
export function annotationPatch(object: KubeObject): AnnotationPatch {
  const configuration = `${sortedJson(object)}\n`;
  const annotations = { ...object.metadata?.annotations, [LAST_APPLIED]: configuration };
  const after: KubeObject = { ...object, metadata: { ...object.metadata, annotations } };
  const patch = createMergePatch(object as JsonObject, after as JsonObject);
  return { patch: sortedJson(patch), configuration };
}
