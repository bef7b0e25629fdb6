import { validateSubjectAccessReview } from "../../../api/validation/reviews.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { accessReview, namedUser } from "./access-review.js";

export const subjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "subjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: accessReview(validateSubjectAccessReview, namedUser) },
};
