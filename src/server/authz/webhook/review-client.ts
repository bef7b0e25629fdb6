import type { ClientConfig } from "../../../client/config/client-config.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { KubeconfigWebhook, type KubeconfigWebhookOptions } from "../../webhook/kubeconfig-webhook.js";
import { readReviewStatus, type ReviewStatus } from "./review-status.js";

export type ReviewVersion = "v1" | "v1beta1";

export interface ReviewClientOptions extends KubeconfigWebhookOptions {
  /** Names the server, and the credentials that it is shown: never those of the user whom a review is about. */
  readonly config: ClientConfig;
  readonly version: ReviewVersion;
}

/** Asks one server for SubjectAccessReviews. */
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
    status: { allowed: false },
  };
  return Buffer.from(JSON.stringify(review));
}
