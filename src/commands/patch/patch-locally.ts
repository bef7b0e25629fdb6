import { builtInPatchSchema } from "../../actions/apply/three-way-patch.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { formatGroupVersion, type GroupVersionKind } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { applyJsonPatch } from "../../machinery/patch/json-patch.js";
import { applyMergePatch } from "../../machinery/patch/merge-patch.js";
import { strategicMergePatch } from "../../machinery/patch/strategic-merge.js";
import { sortedJson } from "../../resource/encode-json.js";

/** What the object becomes, without a server. Throws where the patch does not apply. */
export async function patchLocally(
  object: KubeObject,
  type: "json" | "merge" | "strategic",
  patch: string,
  kind: GroupVersionKind,
): Promise<KubeObject> {
  const before = object as JsonObject;
  const patched = await apply(before, type, patch, kind);
  if (Array.isArray(patched)) {
    throw new Error("json: cannot unmarshal array into Go value of type unstructured.detector");
  }
  const named = isJsonObject(patched) && typeof patched["kind"] === "string" && patched["kind"] !== "";
  if (!named) throw new Error(`Object 'Kind' is missing in '${sortedJson(patched)}'`);
  return patched as KubeObject;
}

async function apply(before: JsonObject, type: string, patch: string, kind: GroupVersionKind): Promise<JsonValue> {
  if (type === "json") return applyJsonPatch(before, parse(patch, "json"));
  if (type === "merge") {
    const value = parse(patch, "merge");
    // A list takes the place of the whole document.
    return Array.isArray(value) ? value : applyMergePatch(before, value);
  }
  const schema = await builtInPatchSchema(kind);
  if (schema === undefined) {
    const name = `${formatGroupVersion(kind)}, Kind=${kind.kind}`;
    throw new Error(`strategic merge patch is not supported for ${name} locally, try --type merge`);
  }
  const value = parse(patch, "strategic");
  if (!isJsonObject(value)) throw new Error("invalid JSON document");
  return strategicMergePatch(before, value, schema);
}

function parse(patch: string, type: "json" | "merge" | "strategic"): JsonValue {
  try {
    return decodeJson(patch).value;
  } catch (error) {
    if (type === "json") throw error;
    throw new Error(type === "merge" ? "Invalid JSON Patch" : "invalid JSON document", { cause: error });
  }
}
