import { validateLocalSubjectAccessReview } from "../../../api/validation/reviews.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { accessReview, namedUser } from "./access-review.js";

export const localSubjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "localsubjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: accessReview(validateLocalSubjectAccessReview, namedUser) },
};
