import { AUTHORIZATION_MODES, type authorizationOptions } from "../../component/apiserver-flags/authorization.js";
import type { delegatedAuthorizationOptions } from "../../component/apiserver-flags/delegated.js";
import type { OptionsOf } from "../../component/option-group.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { MainServer } from "../delegation/main-server.js";

/** An authorization mode, as --authorization-mode names it. */
export type AuthorizationModeName = (typeof AUTHORIZATION_MODES)[number];

/** How a server authorizes requests. Members of system:masters may do everything, whatever the other authorizers answer. */
export interface AuthorizationOptions extends OptionsOf<typeof authorizationOptions> {
  /** Asks a main server, in place of all other authorizers. */
  readonly delegated?: DelegatedAuthorizationOptions;
}

/** A main server that authorizes requests, by SubjectAccessReviews. */
export interface DelegatedAuthorizationOptions
  extends OptionsOf<typeof delegatedAuthorizationOptions>,
    Pick<MainServer, "optional"> {}

export type WebhookAuthorizationOptions = NonNullable<AuthorizationOptions["webhook"]>;

/** Finds the faults of the options, in kube-apiserver's words. Files are not opened. */
export function authorizationProblems(options: AuthorizationOptions): readonly string[] {
  const { modes, policyFile = "", webhook, configFile = "", delegated } = options;
  if (delegated !== undefined) {
    return [
      ...(modes === undefined && webhook === undefined && policyFile === "" && configFile === ""
        ? []
        : ["authorization is delegated to a main server: give no modes, webhook, policyFile or configFile beside it"]),
      ...allowedPathFaults(delegated.alwaysAllowPaths ?? []),
    ];
  }
  if (configFile !== "") {
    if (modes === undefined && webhook === undefined) return [];
    return [
      "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags are defined",
    ];
  }
  const wanted: readonly string[] = modes ?? DEFAULT_MODES;
  const problems: string[] = [];
  if (wanted.length === 0) problems.push("at least one authorization-mode must be passed");
  for (const mode of wanted) {
    if (!isMode(mode)) problems.push(`authorization-mode ${goQuote(mode)} is not a valid mode`);
    if (mode === "ABAC" && policyFile === "") {
      problems.push("authorization-mode ABAC's authorization policy file not passed");
    }
    if (mode === "Webhook" && (webhook?.kubeconfig ?? "") === "") {
      problems.push("authorization-mode Webhook's authorization config file not passed");
    }
  }
  if (policyFile !== "" && !wanted.includes("ABAC")) {
    problems.push("cannot specify --authorization-policy-file without mode ABAC");
  }
  if ((webhook?.kubeconfig ?? "") !== "" && !wanted.includes("Webhook")) {
    problems.push("cannot specify --authorization-webhook-config-file without mode Webhook");
  }
  if (new Set(wanted).size < wanted.length) {
    problems.push(`authorization-mode [${wanted.map(goQuote).join(" ")}] has mode specified more than once`);
  }
  return [...problems, ...versionProblems(webhook?.version)];
}

/** In the words of k8s.io/apiserver. */
function allowedPathFaults(paths: readonly string[]): string[] {
  const wrong = paths.map((path) => path.replace(/^\//, "")).filter((path) => path.slice(0, -1).includes("*"));
  return wrong.map((path) => `only trailing * allowed in ${goQuote(path)}`);
}

export const DEFAULT_MODES: readonly AuthorizationModeName[] = ["Node", "RBAC"];

function isMode(mode: string): boolean {
  return AUTHORIZATION_MODES.some((one) => one === mode);
}

function versionProblems(version: string | undefined): string[] {
  if (version === undefined || version === "v1" || version === "v1beta1") return [];
  return [
    `unsupported webhook authorizer version ${goQuote(version)}, supported versions are ${goQuote("v1")}, ${goQuote("v1beta1")}`,
  ];
}
