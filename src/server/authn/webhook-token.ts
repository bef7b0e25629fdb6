import { goQuote } from "../../base/go-quote.js";
import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import { randomBelow } from "../../base/random-below.js";
import type { Timers } from "../../base/timers.js";
import { outside } from "../../base/turns.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { createRestClient } from "../../client/rest/create-rest-client.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Environment } from "../../client/surroundings.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { list, object, type ReadonlyFields, text } from "../../machinery/meta/access.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { type AuthenticatedToken, InvalidTokenError, type TokenLookup } from "../request/user.js";

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
  /** Receives what went wrong with a call: an outage, or a wrong configuration. */
  readonly report: (error: unknown) => void;
}

/** The lookup of a webhook, and the end of its connections. */
export interface WebhookTokens {
  readonly lookup: TokenLookup;
  close(): Promise<void>;
}

/** How long a review may take; client-go's limit for kubeconfigs, which can name none. */
const TIMEOUT_MS = 30_000;
/** A call is tried so many times, and waits longer each time. */
const TRIES = 5;
const FIRST_WAIT_MS = 500;
const WAIT_FACTOR = 1.5;
const JITTER = 0.2;

/** Asks a webhook by TokenReviews. A review that fails is no token's fault, and yet the token proves nothing. */
export function webhookTokens(config: WebhookTokenConfig): WebhookTokens {
  const { client, clock, env } = config;
  const rest = createRestClient({ ...client, timeout: TIMEOUT_MS, userAgent: "kube-apiserver" }, { clock, env });
  const lookup: TokenLookup = async (token, audiences) => {
    const status = await reviewed(rest, config, token, audiences).catch((error: unknown) => {
      // A server may answer with what it was sent.
      const reason = (error instanceof Error ? error.message : String(error)).replaceAll(token, "<masked>");
      config.report(new Error(`Failed to make webhook authenticator request: ${reason}`));
      throw new InvalidTokenError(reason);
    });
    return userOf(status, audiences, config.audiences, token);
  };
  return { lookup, close: () => rest.close() };
}

async function reviewed(
  rest: RestClient,
  config: WebhookTokenConfig,
  token: string,
  audiences: readonly string[] | undefined,
): Promise<ReadonlyFields> {
  const apiVersion = `authentication.k8s.io/${config.version}`;
  const body: JsonObject = {
    kind: "TokenReview",
    apiVersion,
    metadata: {},
    spec: { token, ...(audiences !== undefined && audiences.length > 0 && { audiences: [...audiences] }) },
    status: { user: {} },
  };
  const review = await withRetries(config, async () => {
    const answer = await outside(
      rest.request({
        method: "POST",
        path: new URL(config.client.server).pathname === "/" ? "/" : "",
        body: Buffer.from(JSON.stringify(body)),
        userPath: true,
      }),
    );
    return answer.json();
  });
  checkKind(review, apiVersion);
  return object(review["status"]);
}

/** What the webhook says is read as the kind that was asked for, unless it says another. */
function checkKind(review: ReadonlyFields, expected: string): void {
  const [kind, apiVersion] = [text(review["kind"]) || "TokenReview", text(review["apiVersion"]) || expected];
  if (kind === "TokenReview" && apiVersion === expected) return;
  throw new Error(
    `no kind ${goQuote(kind)} is registered for version ${goQuote(apiVersion)} in scheme ${goQuote(SCHEME)}`,
  );
}

const SCHEME = "k8s.io/client-go/kubernetes/scheme/register.go:83";

async function withRetries<T>({ timers, random }: WebhookTokenConfig, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1, wait = FIRST_WAIT_MS; ; attempt += 1, wait *= WAIT_FACTOR) {
    try {
      return await call();
    } catch (error) {
      if (attempt === TRIES || !mayPass(error)) throw error;
    }
    const jittered = wait * (1 + (JITTER * randomBelow(random, 1000)) / 1000);
    await new Promise<void>((resolve) => timers.start(jittered, resolve));
  }
}

/** Whether a failure is one that a later try may not have: apiserver's DefaultShouldRetry. */
function mayPass(error: unknown): boolean {
  if (isTransportError(error)) return error.reason.endsWith("connection reset by peer");
  if (!isStatusError(error)) return false;
  return ["InternalError", "Timeout", "ServerTimeout", "TooManyRequests"].includes(error.reason) || error.code === 429;
}

function userOf(
  status: ReadonlyFields,
  wanted: readonly string[] | undefined,
  implicit: readonly string[],
  token: string,
): AuthenticatedToken | undefined {
  const stated = list(status["audiences"]).map(text);
  const audiences = wanted?.filter((one) => (stated.length > 0 ? stated : implicit).includes(one));
  if (audiences !== undefined && wanted !== undefined && wanted.length > 0 && audiences.length === 0) return undefined;
  if (status["authenticated"] !== true) {
    const reason = text(status["error"]);
    if (reason !== "") throw new InvalidTokenError(reason.replaceAll(token, "<masked>"));
    return undefined;
  }
  const user = object(status["user"]);
  const [uid, extra] = [text(user["uid"]), Object.entries(object(user["extra"]))];
  return {
    name: text(user["username"]),
    ...(uid !== "" && { uid }),
    groups: list(user["groups"]).map(text),
    ...(extra.length > 0 && {
      extra: Object.fromEntries(extra.map(([key, values]) => [key, list(values).map(text)])),
    }),
    ...(audiences !== undefined && { audiences }),
  };
}
