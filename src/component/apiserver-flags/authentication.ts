import type { FlagSection } from "../component-flag.js";
import { claimPairs } from "./values.js";

export const authenticationSection = {
  name: "authentication",
  flags: [
    {
      name: "anonymous-auth",
      type: "bool",
      default: "true",
      usage: "Whether requests without credentials are anonymous, where there is authorization.",
    },
    {
      name: "api-audiences",
      type: "stringSlice",
      usage: "The audiences that tokens of service accounts must be for; without it, the issuers.",
    },
    {
      name: "authentication-config",
      type: "string",
      usage: "A file that holds an AuthenticationConfiguration: OpenID Connect issuers, and anonymous requests.",
    },
    {
      name: "authentication-token-webhook-cache-ttl",
      type: "duration",
      default: "2m0s",
      usage: "How long the answers of the webhook for tokens are kept.",
    },
    {
      name: "authentication-token-webhook-config-file",
      type: "string",
      usage: "A kubeconfig whose server is asked about tokens, by TokenReviews.",
    },
    {
      name: "authentication-token-webhook-version",
      type: "string",
      default: "v1beta1",
      usage: "The version of TokenReview that the webhook speaks: v1 or v1beta1.",
    },
    {
      name: "client-ca-file",
      type: "string",
      usage: "The CAs that sign clients' certificates: the common name is the user, the organizations are the groups.",
    },
    {
      name: "enable-bootstrap-token-auth",
      type: "bool",
      usage: "Whether secrets of type bootstrap.kubernetes.io/token in kube-system authenticate new nodes.",
    },
    {
      name: "oidc-ca-file",
      type: "string",
      usage: "The authorities of the OpenID Connect issuer's certificate, a PEM file; without it, the system's.",
    },
    { name: "oidc-client-id", type: "string", usage: "The audience of the issuer's tokens." },
    { name: "oidc-groups-claim", type: "string", usage: "The claim that has the user's groups." },
    { name: "oidc-groups-prefix", type: "string", usage: "What every group of the issuer begins with." },
    { name: "oidc-issuer-url", type: "string", usage: "An OpenID Connect issuer, an https URL." },
    {
      name: "oidc-required-claim",
      ...claimPairs,
      usage: "A claim that a token must have, as claim=value; given again for more.",
    },
    {
      name: "oidc-signing-algs",
      type: "stringSlice",
      default: "[RS256]",
      usage: "The algorithms that the issuer's tokens may be signed by.",
    },
    { name: "oidc-username-claim", type: "string", default: "sub", usage: "The claim that has the user's name." },
    {
      name: "oidc-username-prefix",
      type: "string",
      usage:
        "What every user of the issuer begins with; - for nothing. Without it, the issuer's URL and #, but for e-mail addresses.",
    },
    {
      name: "requestheader-allowed-names",
      type: "stringSlice",
      usage: "The common names of front proxies' certificates; without it, any.",
    },
    {
      name: "requestheader-client-ca-file",
      type: "string",
      usage: "The CAs that sign front proxies' certificates, a PEM file. Without it no header names a user.",
    },
    {
      name: "requestheader-extra-headers-prefix",
      type: "stringSlice",
      usage: "What headers begin with that have more about the user: X-Remote-Extra-.",
    },
    {
      name: "requestheader-group-headers",
      type: "stringSlice",
      usage: "Headers that have the user's groups: X-Remote-Group.",
    },
    {
      name: "requestheader-uid-headers",
      type: "stringSlice",
      usage: "Headers that have the user's uid: X-Remote-Uid.",
    },
    {
      name: "requestheader-username-headers",
      type: "stringSlice",
      usage: "Headers that have the user's name: X-Remote-User.",
    },
    {
      name: "service-account-extend-token-expiration",
      type: "bool",
      default: "true",
      usage: "Whether the tokens that pods get by default are good for a year.",
    },
    {
      name: "service-account-issuer",
      type: "stringArray",
      usage: "The issuer in the tokens of service accounts, a URL; tokens of those given after it are accepted too.",
    },
    {
      name: "service-account-jwks-uri",
      type: "string",
      usage: "Where the discovery document says that the keys of service accounts are; without it, at this server.",
    },
    {
      name: "service-account-key-file",
      type: "stringArray",
      usage: "A file of keys or certificates that tokens of service accounts are checked with; given again for more.",
    },
    {
      name: "service-account-lookup",
      type: "bool",
      default: "true",
      usage: "Whether the accounts of tokens, and what a token is bound to, must still be there.",
    },
    {
      name: "service-account-max-token-expiration",
      type: "duration",
      usage: "The longest validity of a token of a service account; 0 for any.",
    },
    {
      name: "token-auth-file",
      type: "string",
      usage: 'A CSV file of tokens: token, user name, user uid, "group1,group2".',
    },
  ],
} as const satisfies FlagSection;
