import type { SelfSubjectReview } from "../../../api/types/authentication/v1.js";
import { NOT_STORED, type RecordOf } from "../../endpoints/resource-record.js";
import { review, userInfo } from "../review.js";

export const selfSubjectReviewRecord: RecordOf<SelfSubjectReview> = {
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
