import { stateOfCondition, stateOfDeletion, stateOfPath } from "./states.js";
import { goQuote } from "../../base/go-quote.js";
import { goTypeName, goV } from "../../machinery/go-values/go-values.js";
import { JsonPath, relaxedJsonPath } from "../../machinery/jsonpath/jsonpath.js";
import { isFields, number, object, text } from "../../machinery/meta/access.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** What --for asks of an object. */
export type Condition = {
  /** How far the object is, for somebody who watches. Never throws. */
  readonly state: (object: KubeObject | undefined) => string;
} & (
  | { readonly type: "create" | "delete" }
  /** Throws where the object cannot be held against it. */
  | { readonly type: "holds"; readonly check: (object: KubeObject) => boolean }
);

/** Reads the values of --for, in order. Throws for what is none, and for none at all. */
export function parseConditions(values: readonly string[]): readonly Condition[] {
  if (values.length === 0) throw new Error("unrecognized condition: []");
  return values.map(parseCondition);
}

function parseCondition(value: string): Condition {
  const lower = value.toLowerCase();
  if (lower === "delete") return { type: lower, state: stateOfDeletion };
  if (lower === "create") return { type: lower, state: () => "is there" };
  if (value.startsWith("condition=")) return statusCondition(value.slice("condition=".length));
  if (value.startsWith("jsonpath=")) return jsonPathCondition(value.slice("jsonpath=".length));
  throw new Error(`unrecognized condition: ${goQuote(value)}`);
}

function statusCondition(wanted: string): Condition {
  const equals = wanted.indexOf("=");
  const [type, status] = equals < 0 ? [wanted, "true"] : [wanted.slice(0, equals), wanted.slice(equals + 1)];
  return {
    type: "holds",
    check: (object) => hasCondition(object, type, status),
    state: (object) => stateOfCondition(object, type, status),
  };
}

/** A condition older than the object's spec says nothing of it. */
function hasCondition(checked: KubeObject, type: string, wanted: string): boolean {
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

function jsonPathCondition(input: string): Condition {
  const parts = splitAtEquals(input);
  const [expression = "", given] = parts;
  if (parts.length > 2) {
    throw new Error(
      "jsonpath wait format must be --for=jsonpath='{.status.readyReplicas}'=3 or --for=jsonpath='{.status.readyReplicas}'",
    );
  }
  const relaxed = relaxedJsonPath(expression);
  const value = given?.replace(/^['"]+|['"]+$/g, "");
  if (value === "") {
    throw new Error(
      "jsonpath wait has to have a value after equal sign, like --for=jsonpath='{.status.readyReplicas}'=3",
    );
  }
  if (relaxed === "") throw new Error("jsonpath expression cannot be empty");
  const path = new JsonPath(relaxed, { allowMissingKeys: true });
  return {
    type: "holds",
    check: (object) => holds(path, value, object),
    state: (object) => stateOfPath(path, `${expression} to be ${value ?? "set"}`, object),
  };
}

/** At each single `=`; `==` belongs to the expression. */
const splitAtEquals = (input: string): readonly string[] => {
  const parts = [""];
  for (const piece of input.split(/(==|=)/)) {
    if (piece === "=") parts.push("");
    else parts[parts.length - 1] += piece;
  }
  return parts;
};

/** Without a value anything that is found will do. */
function holds(path: JsonPath, wanted: string | undefined, object: KubeObject): boolean {
  const results = path.find(object);
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
