import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  SubjectAccessReviewSpec,
  SubjectAccessReview,
  ResourceAttributes,
} from "../../api/types/authorization/v1.js";
import type { TokenReview } from "../../api/types/authentication/v1.js";
import { createHash } from "node:crypto";
import type { Clock } from "../../base/time/clock.js";
import { ExpiringLru } from "../../base/collections/lru.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";

/** The user who sends a request to a kubelet's API. */
export interface Caller {
  readonly name: string;
  readonly uid?: string | undefined;
  /** With "system:authenticated". */
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A request to a kubelet's API as authorizers see it: a verb on a subresource of the node. */
export interface NodeAccess {
  /** "" for a method that has none. */
  readonly verb: string;
  readonly node: string;
  readonly subresource: string;
}

/** Authenticates and authorizes the callers of a kubelet's API. */
export interface CallerReviews {
  /** Whose bearer token it is; undefined for one that is not valid. Rejects where that cannot be found out. */
  callerOf(token: string): Promise<Caller | undefined>;
  /** Rejects where that cannot be found out. */
  allows(caller: Caller, access: NodeAccess): Promise<boolean>;
}

/** The kubelet's defaults: authentication.webhook.cacheTTL, authorization.webhook.cacheAuthorizedTTL and cacheUnauthorizedTTL. */
const TOKEN_MS = 2 * 60_000;
const ALLOWED_MS = 5 * 60_000;
const REFUSED_MS = 30_000;
const MOST_TOKENS = 4096;
const MOST_ANSWERS = 8192;
/** The length in JSON of a question whose answer is kept: a longer one would crowd out others. */
const LONGEST_KEPT = 10_000;

/**
 * Reviews callers by TokenReview and SubjectAccessReview, as `client`'s user, who needs the right to create them (the role system:node
 * grants it). It caches answers as long as a kubelet does, by the tokens' digests, but no failures.
 */
export class ServerReviews implements CallerReviews {
  readonly #tokens: ExpiringLru<{ readonly caller: Caller | undefined }>;
  readonly #answers: ExpiringLru<boolean>;

  constructor(
    private readonly client: KubernetesClient,
    clock: Clock,
  ) {
    this.#tokens = new ExpiringLru(MOST_TOKENS, clock);
    this.#answers = new ExpiringLru(MOST_ANSWERS, clock);
  }

  async callerOf(token: string): Promise<Caller | undefined> {
    const digest = createHash("sha256").update(token).digest("base64");
    const kept = this.#tokens.get(digest);
    if (kept !== undefined) return kept.caller;
    const review = {
      apiVersion: "authentication.k8s.io/v1",
      kind: "TokenReview",
      spec: { token },
    } as const satisfies FieldsOf<TokenReview>;
    const { status } = await this.client.of("authentication.k8s.io/v1", "TokenReview").create(review);
    const { username = "", uid, groups = [], extra } = status?.user ?? {};
    const caller = status?.authenticated === true ? { name: username, uid, groups, extra } : undefined;
    this.#tokens.set(digest, { caller }, TOKEN_MS);
    return caller;
  }

  async allows({ name: user, uid, groups, extra }: Caller, access: NodeAccess): Promise<boolean> {
    const { verb, node: name, subresource } = access;
    const spec = {
      resourceAttributes: {
        verb,
        version: "v1",
        resource: "nodes",
        subresource,
        name,
      } satisfies FieldsOf<ResourceAttributes>,
      user,
      groups: [...groups],
      ...(uid !== undefined && ({ uid } satisfies FieldsOf<SubjectAccessReviewSpec>)),
      ...(extra !== undefined && ({ extra: mutable(extra) } satisfies FieldsOf<SubjectAccessReviewSpec>)),
    } satisfies FieldsOf<SubjectAccessReviewSpec>;
    const question = JSON.stringify(spec);
    const kept = this.#answers.get(question);
    if (kept !== undefined) return kept;
    const review = {
      apiVersion: "authorization.k8s.io/v1",
      kind: "SubjectAccessReview",
      spec,
    } as const satisfies FieldsOf<SubjectAccessReview>;
    const { status } = await this.client.of("authorization.k8s.io/v1", "SubjectAccessReview").create(review);
    const allowed = status?.allowed === true && status.denied !== true;
    if (question.length < LONGEST_KEPT) this.#answers.set(question, allowed, allowed ? ALLOWED_MS : REFUSED_MS);
    return allowed;
  }
}

const mutable = (extra: Readonly<Record<string, readonly string[]>>): Record<string, string[]> =>
  Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
