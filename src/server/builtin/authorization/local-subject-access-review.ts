import { validateLocalSubjectAccessReview } from "../../../api/validation/reviews.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { allowedReview } from "./allowed.js";

export const localSubjectAccessReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "localsubjectaccessreviews",
  storage: NOT_STORED,
  handlers: { create: allowedReview(validateLocalSubjectAccessReview) },
};
