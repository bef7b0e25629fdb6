import type {
  SubjectAccessReviewStatus,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
} from "../../../api/types/authorization/v1.js";
import {
  type FieldsOf,
  list,
  object,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Authorization, AuthorizerAttributes } from "../../authz/authorizer.js";
import { type MakeHandler, NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import type { ApiRequest } from "../../request/api-request.js";
import type { User } from "../../request/user.js";
import { review, type Reviewer } from "../review.js";
import { ignoredSelectors, askedSelectors } from "./review-selectors.js";
import {
  validateSubjectAccessReview,
  validateLocalSubjectAccessReview,
  validateSelfSubjectAccessReview,
} from "../../../api/validation/reviews.js";

/** Whom a review asks about: the user that it names, or the one who asks. */
type Spec = Received<SubjectAccessReviewSpec>;
type Subject = (spec: Spec, request: ApiRequest) => User;

/** A review that is answered by the server's own authorizers. */
const accessReview =
  (validate: NonNullable<Reviewer["validate"]>, subject: Subject): MakeHandler =>
  (resource, server) =>
    review({
      validate,
      async answer(question: ReceivedObject<SubjectAccessReview>, request) {
        const spec = object(question.spec);
        return statusOf(question, attributesOf(spec, subject(spec, request)), server.authorization);
      },
      shows: "question",
    })(resource, server);

async function statusOf(
  question: KubeObject,
  attributes: AuthorizerAttributes,
  { authorize }: Authorization,
): Promise<JsonObject> {
  const { decision, reason = "", error } = await authorize(attributes);
  const errors = [error, ignoredSelectors(question)].filter((one) => one !== undefined);
  return {
    allowed: decision === "allow",
    ...(decision === "deny" && ({ denied: true } satisfies FieldsOf<SubjectAccessReviewStatus>)),
    ...(reason !== "" && ({ reason } satisfies FieldsOf<SubjectAccessReviewStatus>)),
    ...(errors.length > 0 &&
      ({
        evaluationError: errors.length === 1 ? (errors[0] ?? "") : `[${errors.join(", ")}]`,
      } satisfies FieldsOf<SubjectAccessReviewStatus>)),
  } satisfies FieldsOf<SubjectAccessReviewStatus>;
}

function attributesOf(spec: Spec, user: User): AuthorizerAttributes {
  const asked = object(spec.resourceAttributes);
  if (spec.resourceAttributes === undefined) {
    const { path, verb } = object(spec.nonResourceAttributes);
    const none = { apiGroup: "", apiVersion: "", resource: "", subresource: "", namespace: "", name: "" };
    return { user, verb: text(verb), isResourceRequest: false, ...none, path: text(path) };
  }
  return {
    user,
    verb: text(asked.verb),
    isResourceRequest: true,
    apiGroup: text(asked.group),
    apiVersion: text(asked.version),
    resource: text(asked.resource),
    subresource: text(asked.subresource),
    namespace: text(asked.namespace),
    name: text(asked.name),
    path: "",
    ...askedSelectors(asked),
  };
}

/** The user that a review names. */
const namedUser: Subject = (spec) => ({
  name: text(spec.user),
  groups: list(spec.groups).map(text),
  ...(text(spec.uid) !== "" && ({ uid: text(spec.uid) } satisfies FieldsOf<User>)),
  extra: Object.fromEntries(Object.entries(object(spec.extra)).map(([key, values]) => [key, list(values).map(text)])),
});

/** The user who asks. */
const callingUser: Subject = (_, request) => request.user;

export const subjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "subjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: accessReview(validateSubjectAccessReview, namedUser) },
};

export const localSubjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "localsubjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: accessReview(validateLocalSubjectAccessReview, namedUser) },
};

export const selfSubjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "selfsubjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: accessReview(validateSelfSubjectAccessReview, callingUser) },
};
