import { pairsOf } from "../flags/pairs.js";
import { type OptionGroup, sectionOf } from "../option-group.js";
import { claimPairs } from "./values.js";

const readClaims = (pairs: readonly string[]): Readonly<Record<string, string>> => Object.fromEntries(pairsOf(pairs));

const writeClaims = (claims: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries(claims).map(([claim, value]) => `${claim}=${value}`);

/**
 * The options for the users whose requests a server accepts, beside the administrator and service accounts. Every file is read
 * when the server starts.
 */
export const authenticationOptions = {
  /** Whether requests without credentials are anonymous. It counts where there is authorization. Default true. */
  anonymous: {
    name: "anonymous-auth",
    type: "bool",
    default: "true",
    usage: "Whether requests without credentials are anonymous, where there is authorization.",
  },
  /** A file that holds an AuthenticationConfiguration. Reloaded when it changes. */
  configFile: {
    name: "authentication-config",
    type: "string",
    usage: "A file that holds an AuthenticationConfiguration: OpenID Connect issuers, and anonymous requests.",
    isFile: true,
  },
  /** Whether secrets of type bootstrap.kubernetes.io/token in kube-system authenticate new nodes. Default false. */
  bootstrapTokens: {
    name: "enable-bootstrap-token-auth",
    type: "bool",
    usage: "Whether secrets of type bootstrap.kubernetes.io/token in kube-system authenticate new nodes.",
  },
  /** A CSV file: token, user name, user uid, "group1,group2". It is read once. */
  tokenFile: {
    name: "token-auth-file",
    type: "string",
    usage: 'A CSV file of tokens: token, user name, user uid, "group1,group2".',
    isFile: true,
  },
  /** A server that is asked about tokens that nothing else knows. */
  webhook: {
    /** How long answers are kept, in milliseconds. Default two minutes. */
    cacheTtl: {
      name: "authentication-token-webhook-cache-ttl",
      type: "duration",
      default: "2m0s",
      usage: "How long the answers of the webhook for tokens are kept.",
    },
    /** A kubeconfig whose current context is the webhook. */
    configFile: {
      name: "authentication-token-webhook-config-file",
      type: "string",
      usage: "A kubeconfig whose server is asked about tokens, by TokenReviews.",
      isFile: true,
      isNeeded: true,
    },
    /** Of authentication.k8s.io. Default "v1beta1", as kube-apiserver's. */
    version: {
      name: "authentication-token-webhook-version",
      type: "string",
      default: "v1beta1",
      usage: "The version of TokenReview that the webhook speaks: v1 or v1beta1.",
    },
  },
  /** One OpenID Connect issuer. */
  oidc: {
    /** The authorities of the issuer's certificate, PEM. Default: the system's. */
    caFile: {
      name: "oidc-ca-file",
      type: "string",
      usage: "The authorities of the OpenID Connect issuer's certificate, a PEM file; without it, the system's.",
      isFile: true,
    },
    clientId: { name: "oidc-client-id", type: "string", usage: "The audience of the issuer's tokens.", isNeeded: true },
    groupsClaim: { name: "oidc-groups-claim", type: "string", usage: "The claim that has the user's groups." },
    groupsPrefix: { name: "oidc-groups-prefix", type: "string", usage: "What every group of the issuer begins with." },
    issuerUrl: {
      name: "oidc-issuer-url",
      type: "string",
      usage: "An OpenID Connect issuer, an https URL.",
      isNeeded: true,
    },
    requiredClaims: {
      name: "oidc-required-claim",
      ...claimPairs,
      usage: "A claim that a token must have, as claim=value; given again for more.",
      read: readClaims,
      write: writeClaims,
    },
    /** Default ["RS256"]. */
    signingAlgorithms: {
      name: "oidc-signing-algs",
      type: "stringSlice",
      default: "[RS256]",
      usage: "The algorithms that the issuer's tokens may be signed by.",
    },
    /** Default "sub". */
    usernameClaim: {
      name: "oidc-username-claim",
      type: "string",
      default: "sub",
      usage: "The claim that has the user's name.",
    },
    /** "-" sets none. Default: the issuer's URL and "#", but for the claim "email". */
    usernamePrefix: {
      name: "oidc-username-prefix",
      type: "string",
      usage:
        "What every user of the issuer begins with; - for nothing. Without it, the issuer's URL and #, but for e-mail addresses.",
    },
  },
  /** A front proxy that names users in headers. */
  requestHeader: {
    /** The common names of the proxy's certificate. Default: any. */
    allowedNames: {
      name: "requestheader-allowed-names",
      type: "stringSlice",
      usage: "The common names of front proxies' certificates; without it, any.",
    },
    /** The authorities, PEM, of the proxy's certificate. Reloaded when it changes. */
    clientCaFile: {
      name: "requestheader-client-ca-file",
      type: "string",
      usage: "The CAs that sign front proxies' certificates, a PEM file. Without it no header names a user.",
      isFile: true,
      isNeeded: true,
    },
    /** Default ["X-Remote-Extra-"]. */
    extraHeadersPrefixes: {
      name: "requestheader-extra-headers-prefix",
      type: "stringSlice",
      usage: "What headers begin with that have more about the user: X-Remote-Extra-.",
    },
    /** Default ["X-Remote-Group"]. */
    groupHeaders: {
      name: "requestheader-group-headers",
      type: "stringSlice",
      usage: "Headers that have the user's groups: X-Remote-Group.",
    },
    /** Default ["X-Remote-Uid"]. */
    uidHeaders: {
      name: "requestheader-uid-headers",
      type: "stringSlice",
      usage: "Headers that have the user's uid: X-Remote-Uid.",
    },
    /** Default ["X-Remote-User"]. */
    usernameHeaders: {
      name: "requestheader-username-headers",
      type: "stringSlice",
      usage: "Headers that have the user's name: X-Remote-User.",
    },
  },
  /** Tokens of service accounts. */
  serviceAccounts: {
    /** The audiences of the API, which tokens are for unless a request names others. Default: the issuers. */
    audiences: {
      name: "api-audiences",
      type: "stringSlice",
      usage: "The audiences that tokens of service accounts must be for; without it, the issuers.",
    },
    /** Whether pods' own tokens are good for a year. Default true. */
    extendTokenExpiration: {
      name: "service-account-extend-token-expiration",
      type: "bool",
      default: "true",
      usage: "Whether the tokens that pods get by default are good for a year.",
    },
    /** The first is in new tokens; tokens of all of them are accepted. Default: the cluster's own. */
    issuers: {
      name: "service-account-issuer",
      type: "stringArray",
      usage: "The issuer in the tokens of service accounts, a URL; tokens of those given after it are accepted too.",
    },
    /** Where the discovery document says that the keys are. Default: at this server. */
    keysUrl: {
      name: "service-account-jwks-uri",
      type: "string",
      usage: "Where the discovery document says that the keys of service accounts are; without it, at this server.",
    },
    /** Public keys, private keys or certificates, PEM, that verify tokens beside the cluster's own. Reloaded when they change. */
    keyFiles: {
      name: "service-account-key-file",
      type: "stringArray",
      usage: "A file of keys or certificates that tokens of service accounts are checked with; given again for more.",
      isFile: true,
    },
    /** The longest validity of a token, in seconds: from an hour to 2^32. Default: what the request says. */
    maxTokenExpirationSeconds: {
      name: "service-account-max-token-expiration",
      type: "duration",
      usage: "The longest validity of a token of a service account; 0 for any.",
      read: (milliseconds: number): number | undefined => (milliseconds === 0 ? undefined : milliseconds / 1000),
      write: (seconds: number) => [`${seconds}s`],
    },
  },
} as const satisfies OptionGroup;

/** kube-apiserver's options about clients that are not options of authentication. */
export const clientOptions = {
  /** The authorities, PEM, that sign clients' certificates. Reloaded when it changes. */
  clientCaFile: {
    name: "client-ca-file",
    type: "string",
    usage: "The CAs that sign clients' certificates: the common name is the user, the organizations are the groups.",
    isFile: true,
  },
  /** Whether the accounts of tokens, and what a token is bound to, must still be there. */
  lookup: {
    name: "service-account-lookup",
    type: "bool",
    default: "true",
    usage: "Whether the accounts of tokens, and what a token is bound to, must still be there.",
  },
} as const satisfies OptionGroup;

export const authenticationSection = sectionOf("authentication", { authenticationOptions, clientOptions }, []);
