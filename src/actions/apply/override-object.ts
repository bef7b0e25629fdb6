import { goValueOf } from "../../machinery/wire/go-types.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { text } from "../../machinery/meta/access.js";
import { type GroupVersionKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { applyJsonPatch } from "../../machinery/patch/json-patch.js";
import { applyMergePatch } from "../../machinery/patch/merge-patch.js";
import { strategicMergePatch } from "../../machinery/patch/strategic-merge.js";
import { readTyped } from "../typed/read-typed.js";
import { builtInPatchSchema } from "./three-way-patch.js";
import type { TypedKinds } from "../typed/typed-object.js";

/** The values of the flags --overrides and --override-type. */
export interface Overrides {
  /** JSON; "" changes nothing. */
  readonly text: string;
  /** "json", "merge" or "strategic"; "" is merge. */
  readonly type: string;
}

/** Applies --overrides to a generated object, and decodes the result as its type again. Throws in kubectl's words. */
export async function overrideObject(
  generated: KubeObject,
  overrides: Overrides,
  kinds: TypedKinds,
): Promise<KubeObject> {
  if (overrides.text === "") return generated;
  const target = decodeJson(kinds.encode(generated)).value as JsonObject;
  return readTyped(requireKind(await patch(target, overrides)), kinds);
}

async function patch(target: JsonObject, { text: fragmentText, type }: Overrides): Promise<JsonValue> {
  switch (type) {
    case "json":
      return applyJsonPatch(target, parse(fragmentText, "invalid JSON Patch"));
    case "":
    case "merge":
      return mergePatch(target, parse(fragmentText, "Invalid JSON Patch"));
    case "strategic": {
      const fragment = parse(fragmentText, "invalid JSON document");
      if (!isJsonObject(fragment)) throw new Error("invalid JSON document");
      return strategicMergePatch(target, fragment, await builtInPatchSchema(kindOf(target)));
    }
    default:
      throw new Error(`invalid override type: ${type}`);
  }
}

/** A list takes the place of everything, as it does in a merge patch's fields. */
const mergePatch = (target: JsonObject, fragment: JsonValue): JsonValue =>
  Array.isArray(fragment) ? fragment : applyMergePatch(target, fragment);

function parse(json: string, message: string): JsonValue {
  try {
    return decodeJson(json).value;
  } catch (error) {
    throw new Error(message, { cause: error });
  }
}

function kindOf({ apiVersion, kind }: JsonObject): GroupVersionKind {
  return { ...parseGroupVersion(text(apiVersion)), kind: text(kind) };
}

/** A patch may take away what says what the object is. */
function requireKind(patched: JsonValue): KubeObject {
  if (!isJsonObject(patched)) {
    const type =
      'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';
    const found = `cannot unmarshal ${goValueOf(patched)} into Go value of type ${type}`;
    throw new Error(`couldn't get version/kind; json parse error: json: ${found}`);
  }
  const object = patched as KubeObject;
  if ((object.kind ?? "") === "") throw new Error(`Object 'Kind' is missing in '${encodeJson(patched)}'`);
  return object;
}
