import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { SubjectRulesReviewStatus } from "../../../api/types/authorization/v1.js";
import { selfSubjectRulesReviewProblem } from "../../../api/validation/reviews.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import type { UserRights } from "../../authz/authorizer.js";
import { NOT_STORED, type ResourceRecord } from "../../endpoints/resource-record.js";
import { review } from "../review.js";

export const selfSubjectRulesReviewRecord: ResourceRecord = {
  group: "authorization.k8s.io",
  resource: "selfsubjectrulesreviews",
  storage: NOT_STORED,
  handlers: {
    create: (resource, server) =>
      review({
        problem: selfSubjectRulesReviewProblem,
        answer: async (question, { user }) =>
          statusOf(await server.authorization.rightsOf(user, text(object(question["spec"])["namespace"]))),
        shows: "status",
      })(resource, server),
  },
};

const statusOf = ({ resourceRules, nonResourceRules, incomplete, error }: UserRights): JsonObject =>
  ({
    resourceRules: resourceRules.map((rule) => copyOf(rule)),
    nonResourceRules: nonResourceRules.map((rule) => copyOf(rule)),
    incomplete,
    ...(error !== undefined && ({ evaluationError: error } satisfies FieldsOf<SubjectRulesReviewStatus>)),
  }) satisfies FieldsOf<SubjectRulesReviewStatus>;

const copyOf = (rule: object): JsonObject =>
  Object.fromEntries(Object.entries(rule).map(([field, values]) => [field, [...(values as readonly string[])]]));
