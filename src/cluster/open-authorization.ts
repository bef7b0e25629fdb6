import { aggregateText } from "../machinery/errors/aggregate-text.js";
import { inOrder } from "../base/async/turns.js";
import {
  type AuthorizationContext,
  type AuthorizationMode,
  fixedMode,
  type FixedModes,
} from "../server/authz/authorizer.js";
import type {
  AuthorizerSurroundings,
  PreparedAuthorizers,
} from "../server/authz/configuration/prepared-authorizers.js";
import { nodeMode } from "../server/authz/node/node-mode.js";
import { rbacMode } from "../server/authz/rbac/rbac-mode.js";
import type { HealthCheck } from "../server/endpoints/non-resource/health.js";
import {
  type AuthorizationOptions,
  authorizationProblems,
  DEFAULT_MODES,
  type WebhookAuthorizationOptions,
} from "./options/authorization-options.js";

/** The authorizers of a server that is about to start. */
export interface OpenedAuthorization {
  /** Makes them, once. */
  readonly modes: (context: AuthorizationContext) => readonly AuthorizationMode[];
  readonly healthChecks: readonly HealthCheck[];
  /** Follows no file any more, and closes the connections to webhooks. Idempotent. */
  close(): Promise<void>;
}

/**
 * Opens the files of the options. Rejects, in kube-apiserver's words, for contradicting options, and for a faulty file, with its
 * name and the line or field. A module that only some servers need is loaded only for them.
 */
export async function openAuthorization(
  options: AuthorizationOptions,
  surroundings: AuthorizerSurroundings & { readonly warn: (warning: string) => void },
): Promise<OpenedAuthorization> {
  const problems = authorizationProblems(options);
  if (problems.length > 0) throw new Error(aggregateText(problems));
  const { configFile = "", policyFile = "", modes = DEFAULT_MODES, webhook, delegated } = options;
  if (delegated !== undefined) {
    const { openDelegatedAuthorization } = await inOrder(import("./delegation/delegated-authorization.js"));
    return openDelegatedAuthorization(delegated, surroundings);
  }
  if (configFile !== "") return openConfiguration(configFile, policyFile, surroundings);
  const types = new Set<string>(modes);
  const abac = await abacOf(types, policyFile);
  const webhooks = webhook && types.has("Webhook") ? await openWebhook(webhook, surroundings) : undefined;
  return {
    modes(context) {
      const fixed = fixedModes(types, abac, context);
      return modes.flatMap((type) => (type === "Webhook" ? (webhooks?.modes({}) ?? []) : [fixedMode(type, fixed)]));
    },
    healthChecks: [],
    close: async () => webhooks?.retire(),
  };
}

async function openConfiguration(
  file: string,
  policyFile: string,
  surroundings: AuthorizerSurroundings,
): Promise<OpenedAuthorization> {
  const { ConfigurationFile } = await inOrder(import("../server/authz/configuration/configuration-file.js"));
  const opened = await ConfigurationFile.open(file, surroundings);
  try {
    const abac = await abacOf(opened.fixedTypes, policyFile);
    return {
      modes: (context) => [opened.start(fixedModes(opened.fixedTypes, abac, context))],
      healthChecks: [{ name: "authorization-config", check: () => opened.check() }],
      close: () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function abacOf(types: ReadonlySet<string>, file: string): Promise<FixedModes> {
  if (!types.has("ABAC")) return {};
  if (file === "") throw new Error("authorization-mode ABAC's authorization policy file not passed");
  const [{ abacMode }, { readPolicyFile }] = await inOrder(
    Promise.all([import("../server/authz/abac/abac-mode.js"), import("../server/authz/abac/policy-file.js")]),
  );
  return { ABAC: abacMode(await readPolicyFile(file)) };
}

const fixedModes = (types: ReadonlySet<string>, abac: FixedModes, context: AuthorizationContext): FixedModes => ({
  ...abac,
  ...(types.has("Node") && { Node: nodeMode(context) }),
  ...(types.has("RBAC") && { RBAC: rbacMode(context) }),
});

const LONGEST_CALL = 30_000;

async function openWebhook(
  { kubeconfig, version = "v1beta1", authorizedTtl = 300_000, unauthorizedTtl = 30_000 }: WebhookAuthorizationOptions,
  surroundings: AuthorizerSurroundings,
): Promise<PreparedAuthorizers> {
  const { prepareAuthorizers } = await inOrder(import("../server/authz/configuration/prepared-authorizers.js"));
  const webhook = {
    authorizedTtl,
    cacheAuthorizedRequests: authorizedTtl !== 0,
    unauthorizedTtl,
    cacheUnauthorizedRequests: unauthorizedTtl !== 0,
    timeout: LONGEST_CALL,
    subjectAccessReviewVersion: version,
    matchConditionSubjectAccessReviewVersion: "",
    failurePolicy: "NoOpinion",
    connectionInfo: { type: "KubeConfigFile", kubeConfigFile: kubeconfig },
    matchConditions: [],
  };
  return prepareAuthorizers({ authorizers: [{ type: "Webhook", name: "default", webhook }] }, surroundings);
}
