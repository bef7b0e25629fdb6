import type { FieldsOf } from "../../machinery/meta/received.js";
import { type CancellationToken, throwIfCancelled } from "../../base/async/cancellation.js";
import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import type { Environment } from "../../client/surroundings.js";
import type { ProcessHosts } from "../../client/transport/dial.js";
import type { TokenReview, TokenReviewSpec, TokenReviewStatus, UserInfo } from "../../api/types/authentication/v1.js";
import { list, object, text } from "../../machinery/meta/access.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { boolean, list as listOf, map, string, struct } from "../../machinery/schema/build-schema.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { KubeconfigWebhook } from "../webhook/kubeconfig-webhook.js";
import { readPostedReview } from "../webhook/read-review.js";
import { type User, type AuthenticatedToken, InvalidTokenError, type TokenLookup } from "../request/user.js";

export const WEBHOOK_VERSIONS = ["v1", "v1beta1"] as const;
export type WebhookVersion = (typeof WEBHOOK_VERSIONS)[number];

export interface WebhookTokenConfig {
  /** Of a kubeconfig's current context. Reviews are posted to the server's URL as it stands. */
  readonly client: ClientConfig;
  readonly version: WebhookVersion;
  /** The API's audiences, which a webhook that knows none answers for. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly env: Environment;
  /** Hosts of this process, which the webhook's address does not lead past. Left out: there are none. */
  readonly hosts?: ProcessHosts | undefined;
  /** What one try may take, in milliseconds. Default: 30 seconds. */
  readonly timeout?: number;
  /** Default "kube-apiserver". */
  readonly userAgent?: string;
  /** Receives what went wrong with a call: an outage, or a wrong configuration. */
  readonly report: (error: unknown) => void;
}

/** The lookup of a webhook, and the end of its connections. */
export interface WebhookTokens {
  readonly lookup: TokenLookup;
  close(): Promise<void>;
}

const TEXTS = listOf(string);
const USER: StructSchema = {
  ...struct("UserInfo", {
    username: string,
    uid: string,
    groups: TEXTS,
    extra: map(TEXTS),
  } satisfies FieldsOf<UserInfo>),
  goType: "v1.UserInfo",
};
const STATUS: StructSchema = {
  ...struct("TokenReviewStatus", {
    authenticated: boolean,
    user: USER,
    audiences: TEXTS,
    error: string,
  } satisfies FieldsOf<TokenReviewStatus>),
  goType: "v1.TokenReviewStatus",
};
const REVIEW: StructSchema = {
  ...struct("TokenReview", { status: STATUS } satisfies FieldsOf<TokenReview>),
  goType: "v1.TokenReview",
};

/** Authenticates tokens with a webhook, by TokenReviews. Where a review fails, the token is rejected with the reason of the failure. */
export function webhookTokens(config: WebhookTokenConfig): WebhookTokens {
  const webhook = new KubeconfigWebhook(config.client, config);
  const lookup: TokenLookup = async (token, audiences, request) => {
    const status = await reviewed(webhook, config, token, audiences, request).catch((error: unknown) => {
      // A request that was cancelled says nothing about the webhook.
      throwIfCancelled(request);
      // A server may answer with what it was sent.
      const reason = errorMessage(error).replaceAll(token, "<masked>");
      config.report(new Error(`Failed to make webhook authenticator request: ${reason}`));
      throw new InvalidTokenError(reason);
    });
    return userOf(status, audiences, config.audiences, token);
  };
  return { lookup, close: () => webhook.close() };
}

async function reviewed(
  webhook: KubeconfigWebhook,
  { version }: WebhookTokenConfig,
  token: string,
  audiences: readonly string[] | undefined,
  request: CancellationToken | undefined,
): Promise<FieldsOf<TokenReviewStatus>> {
  const kind = { group: "authentication.k8s.io", version, kind: "TokenReview" };
  const body: FieldsOf<TokenReview> = {
    kind: kind.kind,
    apiVersion: formatGroupVersion(kind),
    metadata: {},
    spec: {
      token,
      audiences: audiences !== undefined && audiences.length > 0 ? audiences : undefined,
    } satisfies FieldsOf<TokenReviewSpec>,
    status: { user: {} } satisfies FieldsOf<TokenReviewStatus>,
  };
  const answer = await webhook.post(Buffer.from(JSON.stringify(body)), { signal: request?.signal });
  const { status }: FieldsOf<TokenReview> = await readPostedReview(answer, kind, REVIEW);
  return object(status);
}

function userOf(
  status: FieldsOf<TokenReviewStatus>,
  wanted: readonly string[] | undefined,
  implicit: readonly string[],
  token: string,
): AuthenticatedToken | undefined {
  const stated = list(status.audiences).map(text);
  const audiences = wanted?.filter((one) => (stated.length > 0 ? stated : implicit).includes(one));
  if (audiences !== undefined && wanted !== undefined && wanted.length > 0 && audiences.length === 0) return undefined;
  if (status.authenticated !== true) {
    const reason = text(status.error);
    if (reason !== "") throw new InvalidTokenError(reason.replaceAll(token, "<masked>"));
    return undefined;
  }
  const user: FieldsOf<UserInfo> = object(status.user);
  const [uid, extra] = [text(user.uid), Object.entries(object(user.extra))];
  return {
    name: text(user.username),
    ...(uid !== "" && ({ uid } satisfies FieldsOf<User>)),
    groups: list(user.groups).map(text),
    ...(extra.length > 0 &&
      ({
        extra: Object.fromEntries(extra.map(([key, values]) => [key, list(values).map(text)])),
      } satisfies FieldsOf<User>)),
    ...(audiences !== undefined && { audiences }),
  };
}
