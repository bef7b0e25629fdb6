import type { MakeHandler } from "../../endpoints/resource-record.js";
import { review, type Reviewer } from "../review.js";
import { ignoredSelectors } from "./ignored-selectors.js";

/**
 * A review that answers "allowed" to every question that `validate` accepts. Until there is authorization, every authenticated
 * user may do everything.
 */
export const allowedReview = (validate: NonNullable<Reviewer["validate"]>): MakeHandler =>
  review({
    validate,
    answer(question) {
      const evaluationError = ignoredSelectors(question);
      return Promise.resolve({ allowed: true, ...(evaluationError !== undefined && { evaluationError }) });
    },
    shows: "question",
  });
