import type { Clock } from "../../../base/clock.js";
import type { Random } from "../../../base/random.js";
import type { Timers } from "../../../base/timers.js";
import { outside } from "../../../base/turns.js";
import type { ClientConfig } from "../../../client/config/client-config.js";
import { createRestClient } from "../../../client/rest/create-rest-client.js";
import type { RestClient } from "../../../client/rest/rest-client.js";
import type { RetryBackoff } from "../../../client/retry/retry-on-conflict.js";
import type { Environment } from "../../../client/surroundings.js";
import type { JsonObject } from "../../../machinery/meta/json.js";
import { retryTransient, WEBHOOK_BACKOFF } from "./retry-transient.js";
import { readReviewStatus, type ReviewStatus } from "./review-status.js";

export type ReviewVersion = "v1" | "v1beta1";

export interface ReviewClientOptions {
  /** Names the server, and the credentials that it is shown: never those of the user whom a review is about. */
  readonly config: ClientConfig;
  readonly version: ReviewVersion;
  /** What one call may take, in milliseconds. */
  readonly timeout: number;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly env: Environment;
  /** The pauses between tries. Default: kube-apiserver's. */
  readonly backoff?: RetryBackoff | undefined;
}

/** Asks one server for SubjectAccessReviews, at exactly the path that its kubeconfig names. Connections are kept. */
export class ReviewClient {
  readonly #rest: RestClient;
  readonly #options: ReviewClientOptions;
  #underWay = 0;
  #retired = false;

  constructor(options: ReviewClientOptions) {
    const { config, timeout, clock, env } = options;
    this.#options = options;
    this.#rest = createRestClient({ ...config, timeout }, { pooled: true, clock, env });
  }

  /**
   * Asks again after a failure that may pass. Rejects with a StatusError, a TransportError or an Error in client-go's words: what the
   * last try failed with.
   */
  async review(spec: JsonObject, signal: AbortSignal | undefined): Promise<ReviewStatus> {
    const { version, timers, random, backoff = WEBHOOK_BACKOFF } = this.#options;
    const body = encode(spec, version);
    this.#underWay += 1;
    try {
      return await retryTransient(() => this.#post(body, signal), { backoff, timers, random, signal });
    } finally {
      this.#underWay -= 1;
      if (this.#retired && this.#underWay === 0) void this.#rest.close();
    }
  }

  /** Closes the connections once the calls under way have ended. */
  retire(): void {
    this.#retired = true;
    if (this.#underWay === 0) void this.#rest.close();
  }

  async #post(body: Uint8Array, signal: AbortSignal | undefined): Promise<ReviewStatus> {
    const answer = this.#rest.request({
      method: "POST",
      path: hasPath(this.#rest.server) ? "" : "/",
      body,
      userPath: true,
      ...(signal && { signal }),
    });
    return readReviewStatus(await outside(answer), this.#options.version);
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

const hasPath = (server: string): boolean => /^[^:]+:\/\/[^/]+\/+[^/]/.test(server);
