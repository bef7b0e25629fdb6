import { number, object, objects, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";

const TYPE = "DisruptionAllowed";

/** The condition that a budget's numbers call for. */
export function allowedCondition(status: unknown): { readonly status: "True" | "False"; readonly reason: string } {
  return number(object(status)["disruptionsAllowed"]) > 0
    ? { status: "True", reason: "SufficientPods" }
    : { status: "False", reason: "InsufficientPods" };
}

export function hasCondition(status: unknown, wanted: { readonly status: string; readonly reason: string }): boolean {
  const found = objects(object(status)["conditions"]).find(({ type }) => type === TYPE);
  return found?.["status"] === wanted.status && found["reason"] === wanted.reason;
}

/** A budget's conditions with DisruptionAllowed as `wanted`; its time is kept while its status is. `now` is RFC 3339. */
export function withAllowedCondition(
  status: unknown,
  wanted: { readonly status: string; readonly reason: string; readonly message?: string },
  now: string,
): JsonObject[] {
  const conditions = objects(object(status)["conditions"]) as JsonObject[];
  const found = conditions.find(({ type }) => type === TYPE);
  const next: JsonObject = {
    type: TYPE,
    status: wanted.status,
    observedGeneration: number(object(status)["observedGeneration"]),
    lastTransitionTime: found?.["status"] === wanted.status ? text(found["lastTransitionTime"]) : now,
    reason: wanted.reason,
    message: wanted.message ?? "",
  };
  return found === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === found ? next : condition));
}
