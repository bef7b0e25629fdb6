import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { deepEqual, formatGo, getOwn } from "./json-values.js";
import { deduplicate, DIRECTIVE, elementKind, RETAIN_KEYS, sortScalars } from "./merge-lists.js";
import { PatchError } from "./patch-error.js";
import { type PatchSchema, type Lookup, lookup } from "./strategic-schema.js";

/** Whether the result of two strategic merge patches depends on their order. */
export function strategicPatchesConflict(left: JsonObject, right: JsonObject, schema?: PatchSchema): boolean {
  return valuesConflict(left, right, { schema, strategy: "", retainKeys: false, mergeKey: "" });
}

const plain = (schema: PatchSchema | undefined): Lookup => ({ schema, strategy: "", retainKeys: false, mergeKey: "" });

function valuesConflict(left: JsonValue, right: JsonValue, known: Lookup): boolean {
  if (isJsonObject(left)) {
    if (!isJsonObject(right)) return true;
    if (getOwn(left, DIRECTIVE) !== getOwn(right, DIRECTIVE)) return true;
    return known.strategy !== "replace" && mapsConflict(left, right, known.schema);
  }
  if (Array.isArray(left)) return !Array.isArray(right) || listsConflict(left, right, known);
  return !deepEqual(left, right);
}

function mapsConflict(left: JsonObject, right: JsonObject, schema: PatchSchema | undefined): boolean {
  return Object.entries(left).some(([key, value]) => {
    const other = getOwn(right, key);
    if (key === DIRECTIVE || key === RETAIN_KEYS || other === undefined) return false;
    const structured = value !== null && typeof value === "object";
    return valuesConflict(
      value,
      other,
      structured ? lookup(schema, key, Array.isArray(value) ? "list" : "map") : plain(undefined),
    );
  });
}

function listsConflict(left: readonly JsonValue[], right: readonly JsonValue[], known: Lookup): boolean {
  const scalars = elementKind(left, right) === "scalar";
  if (known.strategy === "merge") {
    if (scalars) return false;
    return mapsOfMapsConflict(byMergeKey(left, known.mergeKey), byMergeKey(right, known.mergeKey), known.schema);
  }
  if (left.length !== right.length) return true;
  const a = scalars ? sortScalars(deduplicate(left)) : left;
  const b = scalars ? sortScalars(deduplicate(right)) : right;
  return a.some((item, index) => valuesConflict(item, b[index] ?? null, plain(known.schema)));
}

function byMergeKey(list: readonly JsonValue[], mergeKey: string): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  for (const item of list) {
    if (!isJsonObject(item)) throw new PatchError(`invalid element type in merging list:${formatGo([...list])}`);
    const key = getOwn(item, mergeKey);
    if (key === undefined) {
      throw new PatchError(`cannot find merge key \`${mergeKey}\` in merging list element:${formatGo(item)}`);
    }
    found.set(formatGo(key), item);
  }
  return found;
}

function mapsOfMapsConflict(
  left: ReadonlyMap<string, JsonObject>,
  right: ReadonlyMap<string, JsonObject>,
  schema: PatchSchema | undefined,
): boolean {
  for (const [key, value] of left) {
    const other = right.get(key);
    if (other !== undefined && valuesConflict(value, other, plain(schema))) return true;
  }
  return false;
}
