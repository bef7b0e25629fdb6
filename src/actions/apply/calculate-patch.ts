import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { createMergePatch } from "../../machinery/patch/merge-patch.js";
import { createTwoWayMergePatch } from "../../machinery/patch/strategic-diff.js";
import { sortedJson } from "../../resource/encode-json.js";
import { builtInPatchSchema } from "./three-way-patch.js";

export interface CalculatedPatch {
  /** "strategic" for the built-in kinds, whose merge keys are known, else "merge". */
  readonly type: "strategic" | "merge";
  readonly patch: JsonObject;
  /** The patch as it is sent; "{}" when both are alike. */
  readonly text: string;
}

/** The patch that makes `after` of `before`. Neither is changed. */
export async function calculatePatch(
  kind: GroupVersionKind,
  before: KubeObject,
  after: KubeObject,
): Promise<CalculatedPatch> {
  const [original, modified] = [before as unknown as JsonObject, after as unknown as JsonObject];
  const schema = await builtInPatchSchema(kind);
  const patch =
    schema === undefined ? createMergePatch(original, modified) : createTwoWayMergePatch(original, modified, schema);
  return { type: schema === undefined ? "merge" : "strategic", patch, text: sortedJson(patch) };
}
