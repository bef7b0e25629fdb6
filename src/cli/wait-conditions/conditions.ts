import { conditionPath, created, deleted, hasCondition, pathHolds } from "../../actions/wait/conditions.js";
import type { WaitCondition } from "../../actions/wait/conditions.js";
import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";
import { relaxedJsonPath } from "../../machinery/text/jsonpath/jsonpath.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { stateOfCondition, stateOfDeletion, stateOfPath } from "./states.js";

/** What --for asks of an object. */
export type Condition = WaitCondition & {
  /** How far the object is, for a user who watches. Never throws. */
  readonly state: (object: KubeObject | undefined) => string;
};

/** Reads the values of --for, in order. Throws for what is none, and for none at all. */
export function parseConditions(values: readonly string[]): readonly Condition[] {
  if (values.length === 0) throw new Error("unrecognized condition: []");
  return values.map(parseCondition);
}

function parseCondition(value: string): Condition {
  const lower = value.toLowerCase();
  if (lower === "delete") return { ...deleted, state: stateOfDeletion };
  if (lower === "create") return { ...created, state: () => "is there" };
  if (value.startsWith("condition=")) return statusCondition(value.slice("condition=".length));
  if (value.startsWith("jsonpath=")) return jsonPathCondition(value.slice("jsonpath=".length));
  const error = new Error(`unrecognized condition: ${goQuote(value)}`);
  const [typed = "", ...more] = value.split("=");
  const whole = (name: string): string => [name, ...more].join("=");
  throw withMistyped(error, () => ({ typed, known: ["delete", "create", "condition", "jsonpath"], suggest: whole }));
}

function statusCondition(wanted: string): Condition {
  const equals = wanted.indexOf("=");
  const [type, status] = equals < 0 ? [wanted, "true"] : [wanted.slice(0, equals), wanted.slice(equals + 1)];
  return { ...hasCondition(type, status), state: (object) => stateOfCondition(object, type, status) };
}

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
  const path = conditionPath(expression);
  return {
    ...pathHolds(path, value),
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
