import { type FieldError, forbiddenField, invalidValue, required } from "../../machinery/errors/field-error.js";
import type { ObjectMeta } from "../../machinery/meta/object.js";
import {
  absent,
  isStruct,
  list,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../machinery/meta/received.js";
import { validateExpression } from "../../machinery/validation/labels.js";
import type { TokenReview } from "../types/authentication/v1.js";
import type {
  FieldSelectorAttributes,
  LabelSelectorAttributes,
  LocalSubjectAccessReview,
  NonResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectAccessReviewSpec,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from "../types/authorization/v1.js";
import type { FieldSelectorRequirement, LabelSelectorRequirement } from "../types/meta/v1.js";

/** Validates a review of a subject's rights. */
export function validateSubjectAccessReview(review: ReceivedObject<SubjectAccessReview>): FieldError[] {
  return [...validateAccessSpec(object(review.spec), false), ...emptyMetadata(review)];
}

/** As {@link validateSubjectAccessReview}, for the user's own rights. */
export function validateSelfSubjectAccessReview(review: ReceivedObject<SelfSubjectAccessReview>): FieldError[] {
  return [...validateAccessSpec(object(review.spec), true), ...emptyMetadata(review)];
}

/** As {@link validateSubjectAccessReview}, for rights in the namespace of the review's metadata. */
export function validateLocalSubjectAccessReview(review: ReceivedObject<LocalSubjectAccessReview>): FieldError[] {
  const spec = object(review.spec);
  const { namespace = "", ...metadata } = review.metadata ?? {};
  const errors = validateAccessSpec(spec, false);
  if (!isEmpty(metadata)) {
    errors.push(invalidValue("metadata", review.metadata, "must be empty except for namespace"));
  }
  const { resourceAttributes: resource, nonResourceAttributes: url } = spec;
  if (isStruct(resource) && text(resource.namespace) !== namespace) {
    const detail = "must match metadata.namespace";
    errors.push(invalidValue("spec.resourceAttributes.namespace", text(resource.namespace), detail));
  }
  if (!absent(url)) {
    errors.push(invalidValue("spec.nonResourceAttributes", shownUrl(url), "disallowed on this kind of request"));
  }
  return errors;
}

/** `self`: the question is about who asks. */
function validateAccessSpec(
  spec: Received<SelfSubjectAccessReviewSpec & SubjectAccessReviewSpec>,
  self: boolean,
): FieldError[] {
  const { resourceAttributes: resource, nonResourceAttributes: url } = spec;
  const errors: FieldError[] = [];
  if (!absent(resource) && !absent(url)) {
    const detail = "cannot be specified in combination with resourceAttributes";
    errors.push(invalidValue("spec.nonResourceAttributes", shownUrl(url), detail));
  }
  if (absent(resource) && absent(url)) {
    const detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
    errors.push(invalidValue("spec.resourceAttributes", null, detail));
  }
  if (!self && text(spec.user) === "" && list(spec.groups).length === 0) {
    errors.push(invalidValue("spec.user", "", "at least one of user or group must be specified"));
  }
  const { fieldSelector, labelSelector } = object(resource);
  return [
    ...errors,
    ...validateSelector(fieldSelector, "spec.resourceAttributes.fieldSelector", fieldRequirement),
    ...validateSelector(labelSelector, "spec.resourceAttributes.labelSelector", labelRequirement),
  ];
}

/** Kubernetes shows its internal type. */
const shownUrl = (url: Received<NonResourceAttributes>) => ({
  Path: text(object(url).path),
  Verb: text(object(url).verb),
});

type Requirement = LabelSelectorRequirement | FieldSelectorRequirement;
type RequirementRule = (requirement: Received<Requirement>, path: string) => FieldError[];

/** Unknown operators are let through: a newer client may know more than this server. */
const labelRequirement: RequirementRule = ({ key, operator, values }, path) =>
  validateExpression({ key: text(key), operator: text(operator), values: list(values).map(text) }, path, true);

const fieldRequirement: RequirementRule = ({ key, operator, values }, path) => {
  const errors = text(key) === "" ? [required(`${path}.key`, "must be specified")] : [];
  const count = list(values).length;
  if ((operator === "In" || operator === "NotIn") && count === 0) {
    errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && count > 0) {
    const detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    errors.push(forbiddenField(`${path}.values`, detail));
  }
  return errors;
};

function validateSelector(
  selector: Received<FieldSelectorAttributes | LabelSelectorAttributes> | null | undefined,
  path: string,
  rule: RequirementRule,
): FieldError[] {
  if (!isStruct(selector)) return [];
  const raw = text(selector.rawSelector);
  const requirements = objects(selector.requirements);
  const errors: FieldError[] = [];
  if (raw !== "" && requirements.length > 0) {
    errors.push(invalidValue(`${path}.rawSelector`, raw, "may not specified at the same time as requirements"));
  }
  if (raw === "" && requirements.length === 0) {
    const detail = `when ${path} is specified, requirements or rawSelector is required`;
    errors.push(required(`${path}.requirements`, detail));
  }
  return [
    ...errors,
    ...requirements.flatMap((requirement, index) => rule(requirement, `${path}.requirements[${index}]`)),
  ];
}

function emptyMetadata({ metadata }: ReceivedObject<SelfSubjectAccessReview | SubjectAccessReview>): FieldError[] {
  return isEmpty(metadata) ? [] : [invalidValue("metadata", metadata, "must be empty")];
}

function isEmpty(metadata: ObjectMeta | undefined): boolean {
  return Object.entries(object(metadata)).every(
    ([field, value]) =>
      field === "managedFields" ||
      absent(value) ||
      value === "" ||
      (typeof value === "object" && Object.keys(value).length === 0),
  );
}

/** Returns the text with which the server rejects the request (400); undefined for a good one. */
export function tokenReviewProblem(review: ReceivedObject<TokenReview>): string | undefined {
  return text(object(review.spec).token) === "" ? "token is required for TokenReview in authentication" : undefined;
}

/** Returns the text with which the server rejects the request (400); undefined for a good one. */
export function selfSubjectRulesReviewProblem(review: ReceivedObject<SelfSubjectRulesReview>): string | undefined {
  return text(object(review.spec).namespace) === "" ? "no namespace on request" : undefined;
}
