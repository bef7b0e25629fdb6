import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { SubjectAccessReviewStatus, SubjectAccessReview } from "../../../api/types/authorization/v1.js";
import type { ClientConfig } from "../../../client/config/client-config.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { KubeconfigWebhook, type KubeconfigWebhookOptions } from "../../webhook/kubeconfig-webhook.js";
import type { RestResponse } from "../../../client/rest/rest-client.js";
import { object, text } from "../../../machinery/meta/access.js";
import { fileStruct, FLAG, TEXT } from "../file-schema.js";
import { readPostedReview } from "../../webhook/read-review.js";

export type ReviewVersion = "v1" | "v1beta1";

export interface ReviewClientOptions extends KubeconfigWebhookOptions {
  /** Names the server, and the credentials that it is shown: never those of the user whom a review is about. */
  readonly config: ClientConfig;
  readonly version: ReviewVersion;
}

/** Sends SubjectAccessReviews to one server. */
export class ReviewClient {
  readonly #webhook: KubeconfigWebhook;
  readonly #version: ReviewVersion;

  constructor({ config, version, ...options }: ReviewClientOptions) {
    this.#webhook = new KubeconfigWebhook(config, options);
    this.#version = version;
  }

  /**
   * Asks again after a failure that may pass. Rejects with a StatusError, a TransportError or an Error in client-go's words: what the
   * last try failed with.
   */
  async review(spec: JsonObject, signal: AbortSignal | undefined): Promise<ReviewStatus> {
    const answer = await this.#webhook.post(encode(spec, this.#version), { signal });
    return readReviewStatus(answer, this.#version);
  }

  /** Closes the connections once the calls under way have ended. */
  retire(): void {
    this.#webhook.retire();
  }
}

/** v1beta1 calls groups `group`. */
function encode({ groups, ...spec }: JsonObject, version: ReviewVersion): Uint8Array {
  const review = {
    kind: "SubjectAccessReview",
    apiVersion: `authorization.k8s.io/${version}`,
    metadata: {},
    spec: { ...spec, ...(groups !== undefined && { [version === "v1" ? "groups" : "group"]: groups }) },
    status: { allowed: false } satisfies FieldsOf<SubjectAccessReviewStatus>,
  } satisfies FieldsOf<SubjectAccessReview>;
  return Buffer.from(JSON.stringify(review));
}

/** The answer of a webhook about a user's rights. */
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
} satisfies FieldsOf<SubjectAccessReviewStatus>);
const REVIEW = fileStruct("v1.SubjectAccessReview", { status: STATUS } satisfies FieldsOf<SubjectAccessReview>);

/** Reads an answer as a review of the version that was sent. Rejects with an Error in client-go's words for anything else. */
async function readReviewStatus(answer: RestResponse, version: string): Promise<ReviewStatus> {
  const kind = { group: "authorization.k8s.io", version, kind: "SubjectAccessReview" };
  const read = object((await readPostedReview(answer, kind, REVIEW))["status"]);
  return {
    allowed: read["allowed"] === true,
    denied: read["denied"] === true,
    reason: text(read["reason"]),
  } satisfies FieldsOf<SubjectAccessReviewStatus>;
}
