import type { RestResponse } from "../../../client/rest/rest-client.js";
import { decodeJson } from "../../../machinery/codec/json-decoder.js";
import { statedKind } from "../../../machinery/codec/stated-kind.js";
import { decodeObject } from "../../../machinery/codec/strict-decode.js";
import { object, text } from "../../../machinery/meta/access.js";
import { fileStruct, FLAG, TEXT } from "../file-schema.js";

/** What a webhook answers about a user's rights. */
export interface ReviewStatus {
  readonly allowed: boolean;
  readonly denied: boolean;
  readonly reason: string;
}

const GROUP = "authorization.k8s.io";
const KIND = "SubjectAccessReview";

const STATUS = fileStruct("v1.SubjectAccessReviewStatus", {
  allowed: FLAG,
  denied: FLAG,
  reason: TEXT,
  evaluationError: TEXT,
});
const REVIEW = fileStruct("v1.SubjectAccessReview", { status: STATUS });

/** As deep as an answer may nest. */
const MAX_DEPTH = 100;

/** Reads an answer as a review of the version that was sent. Throws an Error in client-go's words for anything else. */
export function readReviewStatus({ status, headers, body }: RestResponse, version: string): ReviewStatus {
  if (body.length === 0) {
    const type = headers["content-type"];
    throw new Error(
      `0-length response with status code: ${status} and content type: ${typeof type === "string" ? type : ""}`,
    );
  }
  const value = decoded(body);
  const stated = statedKind(value);
  const kind = stated.kind || KIND;
  const group = stated.version === "" ? GROUP : stated.group;
  const answered = stated.version || version;
  if (kind !== KIND || group !== GROUP || answered !== version) {
    throw new Error(`converting (${answered}.${kind}) to (${version}.${KIND}): unknown conversion`);
  }
  const read = object(decodeObject(value, REVIEW, { mode: "Ignore" }).object["status"]);
  return { allowed: read["allowed"] === true, denied: read["denied"] === true, reason: text(read["reason"]) };
}

function decoded(body: Uint8Array) {
  try {
    return decodeJson(body, { maxDepth: MAX_DEPTH }).value;
  } catch (error) {
    throw new Error(`couldn't get version/kind; json parse error: ${error instanceof Error ? error.message : ""}`, {
      cause: error,
    });
  }
}
