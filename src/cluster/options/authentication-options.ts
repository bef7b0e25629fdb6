import type { MainServer } from "../delegation/main-server.js";
import { aggregateText } from "../../machinery/errors/aggregate-text.js";
import type { AuthenticationConfiguration } from "../../server/authn/configuration/authentication-configuration.js";

/** Who requests may come from, beside the administrator and service accounts. Every file is read when the server starts. */
export interface AuthenticationOptions {
  /** Files of authorities, PEM, that sign clients' certificates beside the cluster's own. Reloaded when they change. */
  readonly clientCaFiles?: readonly string[];
  /** A front proxy that names users in headers. */
  readonly requestHeader?: RequestHeaderOptions;
  /** A CSV file: token, user name, user uid, "group1,group2". It is read once. */
  readonly tokenFile?: string;
  /** Whether secrets of type bootstrap.kubernetes.io/token in kube-system authenticate new nodes. Default false. */
  readonly bootstrapTokens?: boolean;
  /** One OpenID Connect issuer, as the flags --oidc-* describe it. */
  readonly oidc?: OidcOptions;
  /** A file that holds an AuthenticationConfiguration. Reloaded when it changes. */
  readonly configFile?: string;
  /** What such a file would hold. */
  readonly configuration?: AuthenticationConfiguration;
  /** A server that is asked about tokens that nothing else knows. */
  readonly webhook?: WebhookOptions;
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
  readonly serviceAccounts?: ServiceAccountTokenOptions;
}

/** A main server that knows the callers of this one, by TokenReviews and by the ConfigMap kube-system/extension-apiserver-authentication. */
export interface DelegatedAuthenticationOptions extends MainServer {
  /** How long the answer about a token is kept, in milliseconds. Default: 10 seconds. */
  readonly cacheTtl?: number;
  /** Whether the ConfigMap is left unread. Default false. */
  readonly skipLookup?: boolean;
  /** Whether the server starts where the ConfigMap cannot be read; it reads it later then. Default false. */
  readonly tolerateLookupFailure?: boolean;
}

export interface RequestHeaderOptions {
  /** The authorities, PEM, of the proxy's certificate. Reloaded when it changes. */
  readonly clientCaFile: string;
  /** The common names of the proxy's certificate. Default: any. */
  readonly allowedNames?: readonly string[];
  /** Default ["X-Remote-User"]. */
  readonly usernameHeaders?: readonly string[];
  /** Default ["X-Remote-Uid"]. */
  readonly uidHeaders?: readonly string[];
  /** Default ["X-Remote-Group"]. */
  readonly groupHeaders?: readonly string[];
  /** Default ["X-Remote-Extra-"]. */
  readonly extraHeadersPrefixes?: readonly string[];
}

export interface OidcOptions {
  readonly issuerUrl: string;
  readonly clientId: string;
  /** The authorities of the issuer's certificate, PEM. Default: the system's. */
  readonly caFile?: string;
  /** Default "sub". */
  readonly usernameClaim?: string;
  /** "-" sets none. Default: the issuer's URL and "#", but for the claim "email". */
  readonly usernamePrefix?: string;
  readonly groupsClaim?: string;
  readonly groupsPrefix?: string;
  /** Default ["RS256"]. */
  readonly signingAlgorithms?: readonly string[];
  readonly requiredClaims?: Readonly<Record<string, string>>;
}

export interface WebhookOptions {
  /** A kubeconfig whose current context is the webhook. */
  readonly configFile: string;
  /** Of authentication.k8s.io. Default "v1beta1", as kube-apiserver's. */
  readonly version?: string;
  /** How long answers are kept, in milliseconds. Default two minutes. */
  readonly cacheTtl?: number;
}

export interface ServiceAccountTokenOptions {
  /** The first is in new tokens; tokens of all of them are accepted. Default: the cluster's own. */
  readonly issuers?: readonly string[];
  /** Public keys, private keys or certificates, PEM, that verify tokens beside the cluster's own. Reloaded when they change. */
  readonly keyFiles?: readonly string[];
  /** The audiences of the API, which tokens are for unless a request names others. Default: the issuers. */
  readonly audiences?: readonly string[];
  /** The longest validity of a token, in seconds: from an hour to 2^32. Default: what the request says. */
  readonly maxTokenExpirationSeconds?: number;
  /** Whether pods' own tokens are good for a year. Default true. */
  readonly extendTokenExpiration?: boolean;
  /** Where the discovery document says that the keys are. Default: at this server. */
  readonly keysUrl?: string;
}

/**
 * Throws an Error in kube-apiserver's words, where the options contradict each other or cannot be right. Files are not read for
 * that.
 */
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

/** What is wrong with the names that a front proxy's headers and certificate may have, in kube-apiserver's words. */
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

/** Headers that work, but not with kube-apiserver's own front proxy, in kube-apiserver's words. */
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
