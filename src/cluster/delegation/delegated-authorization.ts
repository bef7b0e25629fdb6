import { errorMessage } from "../../base/text/error-message.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import type { AuthorizationMode } from "../../server/authz/authorizer.js";
import type { AuthorizerSurroundings } from "../../server/authz/configuration/prepared-authorizers.js";
import { ReviewClient } from "../../server/authz/webhook/review-client.js";
import { webhookMode } from "../../server/authz/webhook/webhook-mode.js";
import type { OpenedAuthorization } from "../open-authorization.js";
import type { DelegatedAuthorizationOptions } from "../options/authorization-options.js";
import { LONGEST_REVIEW, readMainServer, reviewConfig } from "./main-server.js";

const CACHE_MS = 10_000;

/** The paths that everybody may read without a question to the main server: probes. */
const ALLOWED_PATHS: readonly string[] = ["/healthz", "/readyz", "/livez"];

/** Connects to the main server. Rejects, in the words of k8s.io/apiserver, for a kubeconfig that cannot be used. */
export async function openDelegatedAuthorization(
  options: DelegatedAuthorizationOptions,
  surroundings: AuthorizerSurroundings & { readonly warn: (warning: string) => void },
): Promise<OpenedAuthorization> {
  const paths = allowedPaths(options.alwaysAllowPaths ?? ALLOWED_PATHS);
  const config = await readMainServer(options, "authorization", surroundings).catch((error: unknown) => {
    throw new Error(`failed to get delegated authorization kubeconfig: ${errorMessage(error)}`, { cause: error });
  });
  if (config === undefined) {
    surroundings.warn(
      "No authorization-kubeconfig provided, so SubjectAccessReview of authorization tokens won't work.",
    );
    return { modes: () => [paths], healthChecks: [], close: async () => {} };
  }
  const client = reviewClient(config, surroundings);
  const { authorizedTtl = CACHE_MS, unauthorizedTtl = CACHE_MS } = options;
  const reviews = webhookMode({
    ...surroundings,
    name: "Webhook",
    client,
    authorizedTtl,
    unauthorizedTtl,
    onFailure: "no-opinion",
    conditions: [],
  });
  return { modes: () => [paths, reviews], healthChecks: [], close: async () => client.retire() };
}

function reviewClient(config: ClientConfig, surroundings: AuthorizerSurroundings): ReviewClient {
  return new ReviewClient({
    ...surroundings,
    config: reviewConfig(config, "/apis/authorization.k8s.io/v1/subjectaccessreviews"),
    version: "v1",
    timeout: LONGEST_REVIEW,
    userAgent: config.userAgent,
  });
}

/** Allows paths to everybody; one that ends in * stands for all that begin with it. A leading slash may be left out. */
function allowedPaths(paths: readonly string[]): AuthorizationMode {
  const names = paths.map(withoutSlash);
  const whole = new Set(names.filter((name) => !name.endsWith("*")));
  const prefixes = names.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));
  const isAllowed = (path: string): boolean => whole.has(path) || prefixes.some((prefix) => path.startsWith(prefix));
  return {
    name: "AlwaysAllowPaths",
    authorize: ({ isResourceRequest, path }) => ({
      decision: !isResourceRequest && isAllowed(withoutSlash(path)) ? "allow" : "no-opinion",
    }),
    rightsOf: () => ({ resourceRules: [], nonResourceRules: [], incomplete: false }),
  };
}

const withoutSlash = (path: string): string => path.replace(/^\//, "");
