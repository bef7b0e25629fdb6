import type { FlagSection } from "../component-flag.js";
import { type OptionGroup, sectionOf } from "../option-group.js";
import { clientOptions, requestHeaderOptions } from "./authentication.js";
import { authorizationOptions } from "./authorization.js";

/** The defaults of flags that a program may choose. */
export interface DelegatedDefaults {
  readonly tolerateLookupFailure: boolean;
  readonly alwaysAllowPaths: readonly string[];
}

/** How a main server is asked who callers are: k8s.io/apiserver's flags. */
export const delegatedAuthenticationOptions = {
  /** How long the answer about a token is kept, in milliseconds. Default: 10 seconds. */
  cacheTtl: {
    name: "authentication-token-webhook-cache-ttl",
    type: "duration",
    default: "10s",
    usage: "How long the main server's answers about tokens are kept.",
  },
  /** Whether the ConfigMap kube-system/extension-apiserver-authentication is left unread. Default false. */
  skipLookup: {
    name: "authentication-skip-lookup",
    type: "bool",
    usage: "Leave the authorities unread that the main server publishes; only those of files count then.",
  },
  /** Whether the server starts where the ConfigMap cannot be read; it reads it later then. Default false. */
  tolerateLookupFailure: {
    name: "authentication-tolerate-lookup-failure",
    type: "bool",
    usage: "Start although the main server's authorities cannot be read; they are read later then.",
  },
} as const satisfies OptionGroup;

/** How a main server is asked what callers may do. */
export const delegatedAuthorizationOptions = {
  /** Paths that everybody may use; a * at the end stands for any rest. Default: /healthz, /readyz, /livez. */
  alwaysAllowPaths: {
    name: "authorization-always-allow-paths",
    type: "stringSlice",
    usage: "Paths that everybody may use; a * at the end stands for any rest.",
  },
  /** How long an answer that allows is kept, in milliseconds; 0 keeps none. Default: 10 seconds. */
  authorizedTtl: {
    ...authorizationOptions.webhook.authorizedTtl,
    default: "10s",
    usage: "How long the main server's answers that allow are kept.",
  },
  /** How long any other answer is kept, in milliseconds. Default: 10 seconds. */
  unauthorizedTtl: {
    ...authorizationOptions.webhook.unauthorizedTtl,
    default: "10s",
    usage: "How long the main server's other answers are kept.",
  },
} as const satisfies OptionGroup;

const kubeconfigRow = (name: string, whose: string) =>
  ({
    name,
    type: "string",
    isFile: true,
    usage: `A kubeconfig of the main server, whose ${whose}; without it, the service account of the Pod.`,
  }) as const;

/** Where the main server is, for each of the three groups. */
export const mainServerOptions = {
  authentication: kubeconfigRow("authentication-kubeconfig", "user may create tokenreviews"),
  authorization: kubeconfigRow("authorization-kubeconfig", "user may create subjectaccessreviews"),
  coreApi: kubeconfigRow("kubeconfig", "objects this one reads"),
} as const satisfies OptionGroup;

/** The authorities and headers of clients in place of those that the main server publishes. */
export const delegatedClientOptions = {
  clientCaFile: {
    ...clientOptions.clientCaFile,
    usage: "The CAs that sign clients' certificates, in place of those that the main server publishes.",
  },
  requestHeader: {
    ...requestHeaderOptions,
    clientCaFile: {
      ...requestHeaderOptions.clientCaFile,
      usage: "The CAs that sign front proxies' certificates, in place of those that the main server publishes.",
    },
    extraHeadersPrefixes: { ...requestHeaderOptions.extraHeadersPrefixes, default: "[x-remote-extra-]" },
    groupHeaders: { ...requestHeaderOptions.groupHeaders, default: "[x-remote-group]" },
    usernameHeaders: { ...requestHeaderOptions.usernameHeaders, default: "[x-remote-user]" },
  },
} as const satisfies OptionGroup;

export function delegatedAuthenticationSection({ tolerateLookupFailure }: DelegatedDefaults): FlagSection {
  const { tolerateLookupFailure: tolerates, ...others } = delegatedAuthenticationOptions;
  const kubeconfig = mainServerOptions.authentication;
  return sectionOf("authentication", { ...others, kubeconfig, ...delegatedClientOptions }, [
    { ...tolerates, ...(tolerateLookupFailure && { default: "true" }) },
  ]);
}

export function delegatedAuthorizationSection({ alwaysAllowPaths: paths }: DelegatedDefaults): FlagSection {
  const { alwaysAllowPaths, ...ttls } = delegatedAuthorizationOptions;
  return sectionOf("authorization", { ...ttls, kubeconfig: mainServerOptions.authorization }, [
    { ...alwaysAllowPaths, default: `[${paths.join(",")}]` },
  ]);
}

export const coreApiSection: FlagSection = sectionOf("core API", { kubeconfig: mainServerOptions.coreApi }, []);
