import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { review, userInfo } from "../review.js";

export const selfSubjectReviewRecord: ResourceRecord = {
  group: "authentication.k8s.io",
  resource: "selfsubjectreviews",
  storage: NOT_STORED,
  handlers: {
    create: review({
      answer: (_, request) => Promise.resolve({ userInfo: userInfo(request.user) }),
      shows: "status and time",
    }),
  },
};
