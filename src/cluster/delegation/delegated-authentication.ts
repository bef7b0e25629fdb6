import { errorMessage } from "../../base/text/error-message.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { kubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { cachedTokens } from "../../server/authn/cached-tokens.js";
import { type WebhookTokens, webhookTokens } from "../../server/authn/webhook-token.js";
import type { TokenLookup } from "../../server/request/user.js";
import type { AuthenticationSurroundings } from "../authentication/authentication-surroundings.js";
import type { AuthenticationOptions, DelegatedAuthenticationOptions } from "../options/authentication-options.js";
import { LONGEST_REVIEW, readMainServer, reviewConfig } from "./main-server.js";
import { PublishedAuthentication } from "./published-authentication.js";

/** Authenticates the callers of an extension server by asking a main server. */
export interface DelegatedAuthentication {
  /** The main server's authorities of clients, PEM; "" where there are none, or where they are not asked for. */
  readonly clientCa: string;
  /** What the main server publishes of front proxies; undefined where it is not asked for that. */
  readonly frontProxies: Pick<PublishedAuthentication, "frontProxy" | "frontProxyCa"> | undefined;
  /** Asks the main server about tokens; undefined where there is none. */
  tokens(now: () => number): TokenLookup | undefined;
  /** Follows what the main server publishes. `changed` is called after authorities have changed. */
  start(changed: () => void): void;
  close(): Promise<void>;
}

const CACHE_MS = 10_000;

/**
 * Connects to the main server, and reads what it publishes. Rejects, in the words of k8s.io/apiserver, for a kubeconfig that
 * cannot be used, and where the main server does not answer, unless the options tolerate that.
 */
export async function openDelegatedAuthentication(
  options: DelegatedAuthenticationOptions,
  given: Pick<AuthenticationOptions, "clientCaFiles" | "requestHeader">,
  surroundings: AuthenticationSurroundings,
): Promise<DelegatedAuthentication> {
  const config = await readMainServer(options, "authentication", surroundings).catch((error: unknown) => {
    const failed = "failed to get delegated authentication kubeconfig";
    // k8s.io/apiserver says it twice.
    throw new Error(`${failed}: ${failed}: ${errorMessage(error)}`, { cause: error });
  });
  const missing = missingKeys(options, given);
  if (config === undefined) {
    for (const [key, kind] of missing) {
      surroundings.warn(
        `No authentication-kubeconfig provided in order to lookup ${key} in configmap/extension-apiserver-authentication in kube-system, so ${kind} authentication won't work.`,
      );
    }
  }
  const looksFor = (key: string): boolean => missing.some(([one]) => one === key);
  const needsProxies = looksFor("requestheader-client-ca-file");
  const isNeeded = needsProxies && options.tolerateLookupFailure !== true;
  const published =
    config !== undefined && missing.length > 0 ? await openPublished(config, isNeeded, surroundings) : undefined;
  const reviews = config && tokenReviews(config, surroundings);
  const { cacheTtl = CACHE_MS } = options;
  return {
    get clientCa() {
      return looksFor("client-ca-file") ? (published?.clientCa ?? "") : "";
    },
    frontProxies: needsProxies ? published : undefined,
    tokens: (now) => reviews && cachedTokens(reviews.lookup, { success: cacheTtl, failure: cacheTtl }, now),
    start: (changed) => published?.start(changed),
    async close() {
      await published?.close();
      await reviews?.close();
    },
  };
}

/** What the options leave to the main server: its key in the ConfigMap, and what it is for. */
function missingKeys(
  { skipLookup = false }: DelegatedAuthenticationOptions,
  { clientCaFiles = [], requestHeader }: Pick<AuthenticationOptions, "clientCaFiles" | "requestHeader">,
): readonly (readonly [key: string, kind: string])[] {
  if (skipLookup) return [];
  return [
    ...(clientCaFiles.length === 0 ? [["client-ca-file", "client certificate"] as const] : []),
    ...(requestHeader === undefined
      ? [["requestheader-client-ca-file", "request-header client certificate"] as const]
      : []),
  ];
}

/** Reads for the first time. Without the authorities of clients a server starts; without front proxies only where that is tolerated. */
async function openPublished(
  config: ClientConfig,
  isNeeded: boolean,
  surroundings: AuthenticationSurroundings,
): Promise<PublishedAuthentication> {
  const { clock, timers, random, env, warn, signal } = surroundings;
  const client = kubernetesClient(config, { clock, timers, random, env });
  const published = new PublishedAuthentication({ ...surroundings, client });
  try {
    await using reader = kubernetesClient({ ...config, timeout: LONGEST_REVIEW }, { clock, timers, random, env });
    await published.read(reader, signal);
  } catch (error) {
    if (isNeeded || signal?.aborted === true) {
      await published.close();
      signal?.throwIfAborted();
      const reason = `unable to load configmap based request-header-client-ca-file: ${errorMessage(error)}`;
      throw new Error(reason, { cause: error });
    }
    warn(`Error looking up in-cluster authentication configuration: ${errorMessage(error)}`);
    warn("Continuing without authentication configuration. This may treat all requests as anonymous.");
    warn(
      "To require authentication configuration lookup to succeed, set --authentication-tolerate-lookup-failure=false",
    );
  }
  return published;
}

function tokenReviews(config: ClientConfig, surroundings: AuthenticationSurroundings): WebhookTokens {
  return webhookTokens({
    ...surroundings,
    client: reviewConfig(config, "/apis/authentication.k8s.io/v1/tokenreviews"),
    version: "v1",
    audiences: [],
    timeout: LONGEST_REVIEW,
    userAgent: config.userAgent,
  });
}
