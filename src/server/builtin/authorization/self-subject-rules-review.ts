import { selfSubjectRulesReviewProblem } from "../../../api/validation/reviews.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { review } from "../review.js";

const EVERYTHING: JsonObject = {
  resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }],
  nonResourceRules: [{ verbs: ["*"], nonResourceURLs: ["*"] }],
  incomplete: false,
};

export const selfSubjectRulesReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "selfsubjectrulesreviews",
  storage: NOT_STORED,
  handlers: {
    create: review({
      problem: selfSubjectRulesReviewProblem,
      answer: () => Promise.resolve(EVERYTHING),
      shows: "status",
    }),
  },
};
