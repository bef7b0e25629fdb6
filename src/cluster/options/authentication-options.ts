import type { MainServer } from "../delegation/main-server.js";
import type { authenticationOptions } from "../../component/apiserver-flags/authentication.js";
import type { delegatedAuthenticationOptions } from "../../component/apiserver-flags/delegated.js";
import type { OptionsOf } from "../../component/option-group.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import type { AuthenticationConfiguration } from "../../server/authn/configuration/authentication-configuration.js";

type FlagOptions = OptionsOf<typeof authenticationOptions>;

/** The users whose requests a server accepts, in addition to the administrator and service accounts. Every file is read when the server starts. */
export interface AuthenticationOptions extends Omit<FlagOptions, "anonymous"> {
  /** Files of authorities, PEM, that sign clients' certificates beside the cluster's own. Reloaded when they change. */
  readonly clientCaFiles?: readonly string[];
  /** What an AuthenticationConfiguration in a file would hold. */
  readonly configuration?: AuthenticationConfiguration;
  /**
   * A main server that is asked about tokens, and whose authorities of clients and of front proxies count where {@link clientCaFiles} and
   * {@link requestHeader} name none.
   */
  readonly delegated?: DelegatedAuthenticationOptions;
  /**
   * Whether requests without credentials are anonymous, or the paths on which they are. It counts where there is authorization.
   * Default true.
   */
  readonly anonymous?: boolean | { readonly paths: readonly string[] };
}

/**
 * A main server that authenticates the callers of this one, by TokenReviews and by the ConfigMap
 * kube-system/extension-apiserver-authentication.
 */
export interface DelegatedAuthenticationOptions
  extends OptionsOf<typeof delegatedAuthenticationOptions>,
    Pick<MainServer, "optional"> {}

export type RequestHeaderOptions = NonNullable<FlagOptions["requestHeader"]>;
export type OidcOptions = NonNullable<FlagOptions["oidc"]>;
export type WebhookOptions = NonNullable<FlagOptions["webhook"]>;
export type ServiceAccountTokenOptions = NonNullable<FlagOptions["serviceAccounts"]>;

/** Throws an Error in kube-apiserver's words for options that are invalid or contradict each other. Files are not read. */
export function checkAuthenticationOptions(options: AuthenticationOptions): void {
  const problems = problemsOf(options);
  if (problems.length > 0) throw new Error(aggregateText(problems));
}

export function problemsOf(options: AuthenticationOptions): readonly string[] {
  return [
    ...oidcProblems(options),
    ...requestHeaderProblems(options.requestHeader),
    ...webhookProblems(options.webhook),
    ...serviceAccountProblems(options.serviceAccounts ?? {}),
  ];
}

function oidcProblems({ oidc, configFile, configuration }: AuthenticationOptions): readonly string[] {
  if (configFile !== undefined && configuration !== undefined) {
    return ["authentication-config file and a configuration are mutually exclusive"];
  }
  if (oidc === undefined) return [];
  if (configFile !== undefined || configuration !== undefined) {
    return ["authentication-config file and oidc-* flags are mutually exclusive"];
  }
  if (oidc.issuerUrl === "" || oidc.clientId === "") {
    return ["oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set"];
  }
  return [];
}

function requestHeaderProblems(options: RequestHeaderOptions | undefined): readonly string[] {
  if (options === undefined) return [];
  const file = options.clientCaFile === "" ? ["--requestheader-client-ca-file must be specified"] : [];
  return [...requestHeaderNameFaults(options), ...file];
}

/** Finds the faults in the names of a front proxy's headers and certificate, in kube-apiserver's words. */
export function requestHeaderNameFaults(options: Omit<RequestHeaderOptions, "clientCaFile">): readonly string[] {
  const { usernameHeaders, groupHeaders, extraHeadersPrefixes, allowedNames, uidHeaders } = options;
  const flags = Object.entries({
    "requestheader-username-headers": usernameHeaders,
    "requestheader-group-headers": groupHeaders,
    "requestheader-extra-headers-prefix": extraHeadersPrefixes,
    "requestheader-allowed-names": allowedNames,
    "requestheader-uid-headers": uidHeaders,
  });
  const empty = flags.filter(([, names = []]) => names.some((name) => name.trim() === ""));
  const problems = empty.map(([flag]) => `empty value in ${JSON.stringify(flag)}`);
  const isStandard = (uidHeaders ?? []).some((name) => name.toLowerCase() === "x-remote-uid");
  if (uidHeaders !== undefined && uidHeaders.length > 0 && !isStandard) {
    problems.push(
      "--requestheader-uid-headers is set without specifying the standard X-Remote-Uid header - API aggregation will not work",
    );
  }
  return problems;
}

/** Returns kube-apiserver's warnings about headers that work, but not with its own front proxy. */
export function requestHeaderWarnings(options: Partial<RequestHeaderOptions>): readonly string[] {
  const rows = [
    ["requestheader-username-headers", "X-Remote-User header", options.usernameHeaders],
    ["requestheader-group-headers", "X-Remote-Group header", options.groupHeaders],
    ["requestheader-extra-headers-prefix", "X-Remote-Extra- header prefix", options.extraHeadersPrefixes],
  ] as const;
  return rows.flatMap(([flag, standard, names = []]) => {
    const [header = ""] = standard.toLowerCase().split(" ");
    if (names.length === 0 || names.some((name) => name.toLowerCase() === header)) return [];
    return [`--${flag} is set without specifying the standard ${standard} - API aggregation will not work`];
  });
}

function webhookProblems(webhook: WebhookOptions | undefined): readonly string[] {
  const { version = "v1beta1" } = webhook ?? {};
  if (version === "v1" || version === "v1beta1") return [];
  return [
    `unsupported authentication webhook version ${JSON.stringify(version)}, supported versions are "v1", "v1beta1"`,
  ];
}

const HOUR = 3600;
const MOST_SECONDS = 2 ** 32;

function serviceAccountProblems(options: ServiceAccountTokenOptions): readonly string[] {
  const { issuers = [], maxTokenExpirationSeconds: longest = 0, keysUrl = "" } = options;
  const problems: string[] = [];
  const seen = new Set<string>();
  for (const issuer of issuers) {
    if (issuer.includes(":") && !URL.canParse(issuer)) {
      problems.push(
        `service-account-issuer ${JSON.stringify(issuer)} contained a ':' but was not a valid URL: parse ${JSON.stringify(issuer)}: invalid URI`,
      );
    } else if (issuer === "") problems.push("service-account-issuer should not be an empty string");
    else if (seen.has(issuer)) problems.push(`service-account-issuer ${JSON.stringify(issuer)} is already specified`);
    seen.add(issuer);
  }
  if (longest !== 0 && (longest < HOUR || longest > MOST_SECONDS)) {
    problems.push("the service-account-max-token-expiration must be between 1 hour and 2^32 seconds");
  }
  if (keysUrl !== "" && !/^https:\/\//i.test(keysUrl)) {
    problems.push(`service-account-jwks-uri requires https scheme, parsed as: ${keysUrl}`);
  }
  return problems;
}
