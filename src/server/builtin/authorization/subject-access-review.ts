import { validateSubjectAccessReview } from "../../../api/validation/reviews.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { allowedReview } from "./allowed.js";

export const subjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "subjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: allowedReview(validateSubjectAccessReview) },
};
