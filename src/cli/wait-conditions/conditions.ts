import {
  conditionPath,
  created,
  deleted,
  hasCondition,
  pathHolds,
  type WaitCondition,
} from "../../actions/wait/conditions.js";
import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";
import { relaxedJsonPath, type JsonPath } from "../../machinery/text/jsonpath/jsonpath.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { goV } from "../../machinery/text/go/go-values.js";
import { object, objects, text } from "../../machinery/meta/access.js";

/** A condition of `kubectl wait --for`. */
export type Condition = WaitCondition & {
  /** How far the object is, for a user who watches. Never throws. */
  readonly state: (object: KubeObject | undefined) => string;
};

/** Parses the values of --for, in order. Throws for a value that is not a condition, and for an empty list. */
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

/** Returns the state of a condition: "Ready is False (ContainersNotReady), waiting for true". */
function stateOfCondition(found: KubeObject | undefined, type: string, wanted: string): string {
  const { conditions } = object(object(found).status);
  const condition = objects(Array.isArray(conditions) ? conditions : []).find(
    (one) => text(one.type).toLowerCase() === type.toLowerCase(),
  );
  if (condition === undefined) return `no condition ${type} yet, waiting for ${wanted}`;
  const reason = text(condition.reason);
  return `${text(condition.type)} is ${text(condition.status)}${reason === "" ? "" : ` (${reason})`}, waiting for ${wanted}`;
}

function stateOfPath(path: JsonPath, wanted: string, found: KubeObject | undefined): string {
  let now = "nothing";
  try {
    const [values = []] = path.find(found ?? {});
    if (values.length > 0) now = values.map(goV).join(" ");
  } catch {
    // What is wrong with it, the check says.
  }
  return `is ${now}, waiting for ${wanted}`;
}

function stateOfDeletion(found: KubeObject | undefined): string {
  const { deletionTimestamp, finalizers } = found?.metadata ?? {};
  if (deletionTimestamp === undefined) return "is there, waiting until it is gone";
  const held = finalizers === undefined || finalizers.length === 0 ? "" : `, held by ${finalizers.join(", ")}`;
  return `is being deleted${held}, waiting until it is gone`;
}
