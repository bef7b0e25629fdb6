import { type FieldError, invalidValue } from "../../../machinery/errors/field-error.js";
import { object, objects, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { ServerGates } from "../../gates/feature-gates.js";
import type { Eviction, EvictionRequest, EvictionStatus } from "../../types/lifecycle/v1alpha1.js";
import { validateConditions } from "../conditions.js";
import type { TypeRules } from "../declarative/field-rules.js";
import { validateDeclared } from "../declarative/validate-declared.js";
import { sameValue } from "../rules.js";
import { evictionRequestRules, evictionRules } from "./eviction-rules.js";
import { validateResponders } from "./responders.js";

interface Context {
  readonly gates: ServerGates;
  /** In milliseconds. */
  readonly now: number;
}

/** The rules of a kind for a new object, and for one that replaces `old`. */
const declared =
  <Kind extends object>(rules: TypeRules<Kind>) =>
  (object: ReceivedObject<Kind>, old: ReceivedObject<Kind> | undefined, { gates }: Context): FieldError[] =>
    validateDeclared(rules, object, old, "", { gates, isUpdate: old !== undefined });

const declaredRequest = declared(evictionRequestRules);
const declaredEviction = declared(evictionRules);

export const validateEvictionRequest = (request: ReceivedObject<EvictionRequest>, context: Context): FieldError[] =>
  declaredRequest(request, undefined, context);

export const validateEvictionRequestUpdate = declaredRequest;

export const validateEvictionRequestStatusUpdate = (
  request: ReceivedObject<EvictionRequest>,
  old: ReceivedObject<EvictionRequest>,
  context: Context,
): FieldError[] => [
  ...validateConditions(objects(object(request.status).conditions), "status.conditions"),
  ...declaredRequest(request, old, context),
];

export const validateEviction = (eviction: ReceivedObject<Eviction>, context: Context): FieldError[] =>
  declaredEviction(eviction, undefined, context);

export const validateEvictionUpdate = declaredEviction;

export function validateEvictionStatusUpdate(
  eviction: ReceivedObject<Eviction>,
  old: ReceivedObject<Eviction>,
  context: Context,
): FieldError[] {
  const [status, before] = [object(eviction.status), object(old.status)];
  const errors = validateConditions(objects(status.conditions), "status.conditions");
  const ended = FINAL.map((type) => {
    const was = conditionOf(before, type);
    if (was?.status !== "True" || sameValue(was, conditionOf(status, type))) {
      return conditionOf(status, type)?.status === "True";
    }
    const detail = `${type} condition status cannot be reverted`;
    errors.push(invalidValue("status.conditions", status.conditions ?? null, detail));
    return true;
  });
  const responders = validateResponders(status, before, { now: context.now, isEnded: ended.includes(true) });
  return [...errors, ...responders, ...declaredEviction(eviction, old, context)];
}

/** The conditions that end an eviction, and that stay. */
const FINAL = ["TargetEvicted", "Failed"] as const;

const conditionOf = (status: Partial<ReceivedStatus>, type: string) =>
  objects(status.conditions).find((condition) => condition.type === type);

type ReceivedStatus = NonNullable<ReceivedObject<{ status: EvictionStatus }>["status"]>;
