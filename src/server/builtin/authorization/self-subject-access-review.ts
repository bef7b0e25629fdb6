import { validateSelfSubjectAccessReview } from "../../../api/validation/reviews.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { accessReview, callingUser } from "./access-review.js";

export const selfSubjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "selfsubjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: accessReview(validateSelfSubjectAccessReview, callingUser) },
};
