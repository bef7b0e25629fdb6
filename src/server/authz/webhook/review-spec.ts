import type { FieldRequirement } from "../../../machinery/selectors/field-selector.js";
import type { LabelOperator, LabelRequirement } from "../../../machinery/selectors/label-selector.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { AuthorizerAttributes } from "../authorizer.js";

/** The spec of a SubjectAccessReview of v1 about a request. What is empty is left out. */
export function reviewSpec(attributes: AuthorizerAttributes): JsonObject {
  const { user, verb, path } = attributes;
  return {
    ...(attributes.isResourceRequest
      ? { resourceAttributes: resourceAttributes(attributes) }
      : { nonResourceAttributes: filled({ path, verb }) }),
    ...filled({ user: user.name }),
    ...(user.groups.length > 0 && { groups: [...user.groups] }),
    ...(user.extra !== undefined &&
      Object.keys(user.extra).length > 0 && {
        extra: Object.fromEntries(Object.entries(user.extra).map(([key, values]) => [key, [...values]])),
      }),
    ...filled({ uid: user.uid ?? "" }),
  };
}

function resourceAttributes(attributes: AuthorizerAttributes): JsonObject {
  const { namespace, verb, apiGroup: group, apiVersion: version, resource, subresource, name } = attributes;
  const fields = (attributes.fieldSelector ?? []).map(fieldRequirement);
  const labels = (attributes.labelSelector ?? []).flatMap((one) => labelRequirement(one) ?? []);
  return {
    ...filled({ namespace, verb, group, version, resource, subresource, name }),
    ...(fields.length > 0 && { fieldSelector: { requirements: fields } }),
    ...(labels.length > 0 && { labelSelector: { requirements: labels } }),
  };
}

const fieldRequirement = ({ field, operator, value }: FieldRequirement): JsonObject => ({
  key: field,
  operator: operator === "=" ? "In" : "NotIn",
  values: [value],
});

const OPERATORS: Partial<Readonly<Record<LabelOperator, string>>> = {
  "=": "In",
  "==": "In",
  in: "In",
  "!=": "NotIn",
  notin: "NotIn",
  exists: "Exists",
  "!": "DoesNotExist",
};

/** Undefined for what a review cannot say: without it the review is about more objects, never about fewer. */
function labelRequirement({ key, operator, values }: LabelRequirement): JsonObject | undefined {
  const said = OPERATORS[operator];
  if (said === undefined) return undefined;
  return { key, operator: said, ...(values.length > 0 && { values: [...values] }) };
}

function filled(texts: Readonly<Record<string, string>>): JsonObject {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ""));
}
