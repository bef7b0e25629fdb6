import { goTypeName, goV } from "../../machinery/text/go/go-values.js";
import { JsonPath, relaxedJsonPath } from "../../machinery/text/jsonpath/jsonpath.js";
import { isFields, number, object, text } from "../../machinery/meta/access.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** A condition that `wait` waits for. */
export type WaitCondition =
  | { readonly type: "created" | "deleted" }
  /** `check` says whether the object is so. What it throws ends the wait: the object cannot be held against it. */
  | { readonly type: "holds"; readonly check: (object: KubeObject) => boolean };

/** The condition that the object exists. */
export const created: WaitCondition = { type: "created" };

/** The condition that the object is gone. */
export const deleted: WaitCondition = { type: "deleted" };

/** Makes the condition that `check` accepts the object. */
export const holds = (check: (object: KubeObject) => boolean): WaitCondition => ({ type: "holds", check });

/**
 * The condition that `status.conditions` has an entry with that type and status, both compared without case:
 * `hasCondition("Ready")`. An entry that was observed before the spec changed does not count.
 */
export const hasCondition = (type: string, status = "True"): WaitCondition =>
  holds((found) => isCondition(found, type, status));

/**
 * The condition that a JSONPath finds exactly one value and, if `value` is given, that one: `hasValue("{.status.phase}",
 * "Running")`. Braces and the first dot may be omitted. Throws for an expression that cannot be parsed.
 */
export function hasValue(path: string, value?: string): WaitCondition {
  return pathHolds(conditionPath(path), value);
}

/** Parses the JSONPath of a condition, in which missing fields have no values. */
export function conditionPath(path: string): JsonPath {
  if (path === "") throw new Error("jsonpath expression cannot be empty");
  return new JsonPath(relaxedJsonPath(path), { allowMissingKeys: true });
}

/** As {@link hasValue}, for a path that is parsed already. */
export const pathHolds = (path: JsonPath, value?: string): WaitCondition =>
  holds((found) => isValue(path, value, found));

function isCondition(checked: KubeObject, type: string, wanted: string): boolean {
  const { status } = checked;
  if (status !== undefined && !isFields(status)) throw notA(".status", "map[string]interface{}", status);
  const { conditions } = object(status);
  if (conditions === undefined) return false;
  if (!Array.isArray(conditions)) throw notA(".status.conditions", "[]interface{}", conditions);
  const found = conditions
    .filter(isFields)
    .find((one) => typeof one.status === "string" && equalFold(text(one.type), type) && one.type !== undefined);
  if (found === undefined) return false;
  const { generation } = checked.metadata ?? {};
  const observed = found.observedGeneration ?? object(status).observedGeneration;
  if (generation !== undefined && observed !== undefined && number(observed) < generation) return false;
  return equalFold(text(found.status), wanted);
}

const notA = (path: string, type: string, value: unknown): Error =>
  new Error(
    `${path} accessor error: ${goV(value as JsonValue)} is of the type ${goTypeName(value as JsonValue)}, expected ${type}`,
  );

/** strings.EqualFold. */
const equalFold = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** Without a value anything that is found will do. */
function isValue(path: JsonPath, wanted: string | undefined, found: KubeObject): boolean {
  const results = path.find(found);
  const [first = []] = results;
  const [value] = first;
  if (value === undefined) return false;
  if (results.length > 1) throw new Error("given jsonpath expression matches more than one list");
  if (first.length > 1) throw new Error("given jsonpath expression matches more than one value");
  if (wanted === undefined) return true;
  if (typeof value === "object" && value !== null) {
    throw new Error("jsonpath leads to a nested object or list which is not supported");
  }
  return (value === null ? "<nil>" : String(value)).trim() === wanted.trim();
}
