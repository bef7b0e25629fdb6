import type { CompiledExpression } from "../../../api/admission/expression-environment.js";
import type { Clock } from "../../../base/time/clock.js";
import type { Random } from "../../../base/numbers/random.js";
import type { Timers } from "../../../base/time/timers.js";
import { configFromFile } from "../../../client/config/load-config.js";
import type { RetryBackoff } from "../../../client/retry/retry-on-conflict.js";
import type { ProcessHosts } from "../../../client/transport/dial.js";
import type { Environment } from "../../../client/surroundings.js";
import { type AuthorizationMode, fixedMode, type FixedModes } from "../authorizer.js";
import { ReviewClient, type ReviewVersion } from "../webhook/review-client.js";
import { compileReviewCondition } from "../webhook/review-conditions.js";
import { webhookMode } from "../webhook/webhook-mode.js";
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  WebhookConfiguration,
} from "./load-configuration.js";

/** The parts of the process that the authorizers of a configuration use. */
export interface AuthorizerSurroundings {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly random: Random;
  readonly env: Environment;
  /** Hosts of this process, which no webhook's address leads past. Left out: there are none. */
  readonly hosts?: ProcessHosts | undefined;
  readonly reportError: (error: unknown) => void;
  /** The pauses between the tries of a webhook. Default: kube-apiserver's. */
  readonly backoff?: RetryBackoff | undefined;
}

/** The authorizers of one configuration. */
export interface PreparedAuthorizers {
  /** Throws for a type that `fixed` does not have. */
  modes(fixed: FixedModes): readonly AuthorizationMode[];
  /** Closes the connections to webhooks once the calls under way have ended. */
  retire(): void;
}

/** Prepares the authorizers of a validated configuration, for which it reads the webhooks' kubeconfigs. Rejects with the error of one of them. */
export async function prepareAuthorizers(
  { authorizers }: AuthorizationConfiguration,
  surroundings: AuthorizerSurroundings,
): Promise<PreparedAuthorizers> {
  const webhooks = new Map<AuthorizerConfiguration, Webhook>();
  for (const authorizer of authorizers) {
    const { webhook } = authorizer;
    if (webhook !== undefined) webhooks.set(authorizer, await prepareWebhook(authorizer.name, webhook, surroundings));
  }
  return {
    modes: (fixed) =>
      authorizers.map((authorizer) => webhooks.get(authorizer)?.mode ?? fixedMode(authorizer.type, fixed)),
    retire: () => {
      for (const { client } of webhooks.values()) client.retire();
    },
  };
}

interface Webhook {
  readonly mode: AuthorizationMode;
  readonly client: ReviewClient;
}

async function prepareWebhook(
  name: string,
  webhook: WebhookConfiguration,
  surroundings: AuthorizerSurroundings,
): Promise<Webhook> {
  const { env } = surroundings;
  const config = await configFromFile(webhook.connectionInfo.kubeConfigFile ?? "", { env });
  const client = new ReviewClient({
    ...surroundings,
    config,
    version: webhook.subjectAccessReviewVersion as ReviewVersion,
    timeout: webhook.timeout,
  });
  const mode = webhookMode({
    ...surroundings,
    name,
    client,
    authorizedTtl: webhook.cacheAuthorizedRequests ? webhook.authorizedTtl : 0,
    unauthorizedTtl: webhook.cacheUnauthorizedRequests ? webhook.unauthorizedTtl : 0,
    onFailure: webhook.failurePolicy === "Deny" ? "deny" : "no-opinion",
    conditions: webhook.matchConditions.map(({ expression }): CompiledExpression => compileReviewCondition(expression)),
  });
  return { mode, client };
}
