import type { FieldsOf } from "../../../machinery/meta/received.js";
import { compileExpression, type CompiledExpression } from "../../../api/admission/expression-environment.js";
import type {
  LabelSelectorAttributes,
  NonResourceAttributes,
  ResourceAttributes,
  SubjectAccessReviewSpec,
} from "../../../api/types/authorization/v1.js";
import type { LabelSelectorRequirement } from "../../../api/types/meta/v1.js";
import { once } from "../../../base/async/once.js";
import { kubernetesEnvironment } from "../../../machinery/cel/kubernetes/environment.js";
import { BOOL, listType, mapType, objectType, STRING, type Type } from "../../../machinery/cel/types/type.js";
import { ErrorValue } from "../../../machinery/cel/values/value.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import { declaredTypes } from "../../../machinery/cel/types/provider.js";

/** The type of `request` in match conditions: the spec of a SubjectAccessReview. */
const REVIEW_REQUEST = objectType("kubernetes.SubjectAccessReviewSpec");

const RESOURCE = objectType("kubernetes.ResourceAttributes");
const NON_RESOURCE = objectType("kubernetes.NonResourceAttributes");
const FIELD_SELECTOR = objectType("kubernetes.FieldSelectorAttributes");
const LABEL_SELECTOR = objectType("kubernetes.LabelSelectorAttributes");
const REQUIREMENT = objectType("kubernetes.SelectorRequirement");

const STRINGS = listType(STRING);
type FieldTypes = Readonly<Record<string, Type>>;

/** The types of the fields of an API type. */
type TypesOf<T> = { readonly [Field in keyof T]?: Type };

const SELECTOR: TypesOf<LabelSelectorAttributes> = { rawSelector: STRING, requirements: listType(REQUIREMENT) };

const TYPES: ReadonlyMap<Type, FieldTypes> = new Map<Type, FieldTypes>([
  [
    REVIEW_REQUEST,
    {
      resourceAttributes: RESOURCE,
      nonResourceAttributes: NON_RESOURCE,
      user: STRING,
      groups: STRINGS,
      extra: mapType(STRING, STRINGS),
      uid: STRING,
    } satisfies TypesOf<SubjectAccessReviewSpec>,
  ],
  [
    RESOURCE,
    {
      namespace: STRING,
      verb: STRING,
      group: STRING,
      version: STRING,
      resource: STRING,
      subresource: STRING,
      name: STRING,
      fieldSelector: FIELD_SELECTOR,
      labelSelector: LABEL_SELECTOR,
    } satisfies TypesOf<ResourceAttributes>,
  ],
  [NON_RESOURCE, { path: STRING, verb: STRING } satisfies TypesOf<NonResourceAttributes>],
  [FIELD_SELECTOR, SELECTOR],
  [LABEL_SELECTOR, SELECTOR],
  [REQUIREMENT, { key: STRING, operator: STRING, values: STRINGS } satisfies TypesOf<LabelSelectorRequirement>],
]);

const REVIEW_REQUEST_TYPES = declaredTypes(TYPES);

const environment = once(() =>
  kubernetesEnvironment().extend({
    types: REVIEW_REQUEST_TYPES,
    variables: [{ name: "request", type: REVIEW_REQUEST }],
  }),
);

/** Compiles a match condition: an expression over the spec of a SubjectAccessReview, `request`. Its `error` tells why it does not compile. */
export const compileReviewCondition = (expression: string): CompiledExpression =>
  compileExpression(environment(), expression, [BOOL]);

/** Whether a webhook is called for a request. `error`: at least one condition failed, and none is false. */
export type ReviewMatch = { readonly matches: boolean; readonly error?: undefined } | { readonly error: string };

/** Evaluates conditions until one is false. Each is bounded in cost. */
export function matchesReview(conditions: readonly CompiledExpression[], spec: JsonObject): ReviewMatch {
  if (conditions.length === 0) return { matches: true };
  const errors = new Set<string>();
  const request = shown(spec);
  for (const { text: expression, program } of conditions) {
    const value = program?.evaluate({ request }).value;
    if (value instanceof ErrorValue) {
      errors.add(`cel evaluation error: expression '${expression}' resulted in error: ${value.message}`);
    } else if (value === false) return { matches: false };
  }
  if (errors.size === 0) return { matches: true };
  const [first = ""] = errors;
  return { error: errors.size === 1 ? first : `[${[...errors].join(", ")}]` };
}

const RESOURCE_TEXTS = ["namespace", "verb", "group", "version", "resource", "subresource", "name"];

type ReviewSpec = { readonly [Field in keyof SubjectAccessReviewSpec]?: JsonValue };

/** With the empty fields that a review leaves out, so that an expression can read them. */
function shown(spec: JsonObject): JsonObject {
  const { user, groups, uid, extra, resourceAttributes, nonResourceAttributes }: ReviewSpec = spec;
  return {
    user: text(user),
    groups: groups ?? [],
    uid: text(uid),
    extra: extra ?? {},
    ...(resourceAttributes !== undefined &&
      ({
        resourceAttributes: { ...texts(resourceAttributes, RESOURCE_TEXTS), ...selectorsOf(resourceAttributes) },
      } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    ...(nonResourceAttributes !== undefined &&
      ({
        nonResourceAttributes: texts(nonResourceAttributes, ["path", "verb"]),
      } satisfies FieldsOf<SubjectAccessReviewSpec>)),
  } satisfies FieldsOf<SubjectAccessReviewSpec>;
}

const texts = (fields: JsonValue, names: readonly string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, text(object(fields)[name])]));

function selectorsOf(resourceAttributes: JsonValue): JsonObject {
  const { fieldSelector, labelSelector }: { readonly [Field in keyof ResourceAttributes]?: JsonValue } = object(
    resourceAttributes,
  ) as JsonObject;
  return {
    ...(fieldSelector && ({ fieldSelector } satisfies FieldsOf<ResourceAttributes>)),
    ...(labelSelector && ({ labelSelector } satisfies FieldsOf<ResourceAttributes>)),
  };
}
