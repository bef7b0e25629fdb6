import type { RestResponse } from "../../../client/rest/rest-client.js";
import { object, text } from "../../../machinery/meta/access.js";
import { fileStruct, FLAG, TEXT } from "../file-schema.js";
import { readPostedReview } from "../../webhook/read-posted-review.js";

/** What a webhook answers about a user's rights. */
export interface ReviewStatus {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

const STATUS = fileStruct("v1.SubjectAccessReviewStatus", {
  allowed: FLAG,
  denied: FLAG,
  reason: TEXT,
  evaluationError: TEXT,
});
const REVIEW = fileStruct("v1.SubjectAccessReview", { status: STATUS });

/** Reads an answer as a review of the version that was sent. Rejects with an Error in client-go's words for anything else. */
export async function readReviewStatus(answer: RestResponse, version: string): Promise<ReviewStatus> {
  const kind = { group: "authorization.k8s.io", version, kind: "SubjectAccessReview" };
  const read = object((await readPostedReview(answer, kind, REVIEW))["status"]);
  return { allowed: read["allowed"] === true, denied: read["denied"] === true, reason: text(read["reason"]) };
}
