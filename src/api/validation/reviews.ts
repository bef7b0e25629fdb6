import { type FieldError, invalidValue } from "../../machinery/errors/field-error.js";
import { absent, isFields, list, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** Problems of a question about a subject's rights, or about one's own (`self`). */
function validateAccessSpec(spec: ReadonlyFields, self: boolean): FieldError[] {
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
  return errors;
}

/** Kubernetes shows its internal type. */
const shownUrl = (url: unknown) => ({ Path: text(object(url).path), Verb: text(object(url).verb) });

export function validateSubjectAccessReview(review: KubeObject): FieldError[] {
  return [...validateAccessSpec(object(review.spec), false), ...emptyMetadata(review)];
}

export function validateSelfSubjectAccessReview(review: KubeObject): FieldError[] {
  return [...validateAccessSpec(object(review.spec), true), ...emptyMetadata(review)];
}

/** `namespace` is the one in the URL. */
export function validateLocalSubjectAccessReview(review: KubeObject): FieldError[] {
  const spec = object(review.spec);
  const { namespace = "", ...metadata } = review.metadata ?? {};
  const errors = validateAccessSpec(spec, false);
  if (!isEmpty(metadata)) {
    errors.push(invalidValue("metadata", review.metadata, "must be empty except for namespace"));
  }
  const { resourceAttributes: resource, nonResourceAttributes: url } = spec;
  if (isFields(resource) && text(resource.namespace) !== namespace) {
    const detail = "must match metadata.namespace";
    errors.push(invalidValue("spec.resourceAttributes.namespace", text(resource.namespace), detail));
  }
  if (!absent(url)) {
    const detail = "disallowed on this kind of request";
    errors.push(invalidValue("spec.nonResourceAttributes", shownUrl(url), detail));
  }
  return errors;
}

function emptyMetadata({ metadata }: KubeObject): FieldError[] {
  return isEmpty(metadata) ? [] : [invalidValue("metadata", metadata, "must be empty")];
}

function isEmpty(metadata: unknown): boolean {
  return Object.entries(object(metadata)).every(
    ([field, value]) =>
      field === "managedFields" ||
      absent(value) ||
      value === "" ||
      (Object.keys(object(value)).length === 0 && typeof value === "object"),
  );
}

/** The request is refused as a bad one, with this text; undefined where it is good. */
export function tokenReviewProblem(review: KubeObject): string | undefined {
  return text(object(review.spec).token) === "" ? "token is required for TokenReview in authentication" : undefined;
}

export function selfSubjectRulesReviewProblem(review: KubeObject): string | undefined {
  return text(object(review.spec).namespace) === "" ? "no namespace on request" : undefined;
}
