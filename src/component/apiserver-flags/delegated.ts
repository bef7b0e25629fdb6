import type { FlagSection } from "../component-flag.js";
import type { Flags } from "../flags/flag-set.js";

/** The flags by which a server of an API of its own asks a main server: k8s.io/apiserver's, in its sections and with its defaults. */
export interface DelegatedDefaults {
  readonly tolerateLookupFailure: boolean;
  readonly alwaysAllowPaths: readonly string[];
}

export const delegatedAuthenticationSection = ({ tolerateLookupFailure }: DelegatedDefaults): FlagSection => ({
  name: "authentication",
  flags: [
    {
      name: "authentication-kubeconfig",
      type: "string",
      usage:
        "A kubeconfig of the main server, whose user may create tokenreviews; without it, the service account of the Pod.",
    },
    {
      name: "authentication-skip-lookup",
      type: "bool",
      usage: "Leave the authorities unread that the main server publishes; only those of files count then.",
    },
    {
      name: "authentication-token-webhook-cache-ttl",
      type: "duration",
      default: "10s",
      usage: "How long the main server's answers about tokens are kept.",
    },
    {
      name: "authentication-tolerate-lookup-failure",
      type: "bool",
      ...(tolerateLookupFailure && { default: "true" }),
      usage: "Start although the main server's authorities cannot be read; they are read later then.",
    },
    {
      name: "client-ca-file",
      type: "string",
      usage: "The CAs that sign clients' certificates, in place of those that the main server publishes.",
    },
    {
      name: "requestheader-allowed-names",
      type: "stringSlice",
      usage: "The common names of front proxies' certificates; without it, any.",
    },
    {
      name: "requestheader-client-ca-file",
      type: "string",
      usage: "The CAs that sign front proxies' certificates, in place of those that the main server publishes.",
    },
    {
      name: "requestheader-extra-headers-prefix",
      type: "stringSlice",
      default: "[x-remote-extra-]",
      usage: "What headers begin with that have more about the user.",
    },
    {
      name: "requestheader-group-headers",
      type: "stringSlice",
      default: "[x-remote-group]",
      usage: "Headers that have the user's groups.",
    },
    {
      name: "requestheader-uid-headers",
      type: "stringSlice",
      usage: "Headers that have the user's uid: X-Remote-Uid.",
    },
    {
      name: "requestheader-username-headers",
      type: "stringSlice",
      default: "[x-remote-user]",
      usage: "Headers that have the user's name.",
    },
  ],
});

export const delegatedAuthorizationSection = ({ alwaysAllowPaths }: DelegatedDefaults): FlagSection => ({
  name: "authorization",
  flags: [
    {
      name: "authorization-always-allow-paths",
      type: "stringSlice",
      default: `[${alwaysAllowPaths.join(",")}]`,
      usage: "Paths that everybody may use; a * at the end stands for any rest.",
    },
    {
      name: "authorization-kubeconfig",
      type: "string",
      usage:
        "A kubeconfig of the main server, whose user may create subjectaccessreviews; without it, the service account of the Pod.",
    },
    {
      name: "authorization-webhook-cache-authorized-ttl",
      type: "duration",
      default: "10s",
      usage: "How long the main server's answers that allow are kept.",
    },
    {
      name: "authorization-webhook-cache-unauthorized-ttl",
      type: "duration",
      default: "10s",
      usage: "How long the main server's other answers are kept.",
    },
  ],
});

export const coreApiSection: FlagSection = {
  name: "core API",
  flags: [
    {
      name: "kubeconfig",
      type: "string",
      usage:
        "A kubeconfig of the main server, whose objects this one reads; without it, the service account of the Pod.",
    },
  ],
};

/** What the flags of the three sections say, of the sections that the program has. Files are absolute. */
export interface DelegatedFlags {
  readonly authentication?: {
    readonly clientCaFiles?: readonly string[];
    readonly requestHeader?: {
      readonly clientCaFile: string;
      readonly allowedNames: readonly string[];
      readonly usernameHeaders: readonly string[];
      readonly uidHeaders: readonly string[];
      readonly groupHeaders: readonly string[];
      readonly extraHeadersPrefixes: readonly string[];
    };
    readonly delegated: {
      readonly kubeconfig: string;
      readonly cacheTtl: number;
      readonly skipLookup: boolean;
      readonly tolerateLookupFailure: boolean;
    };
  };
  readonly authorization?: {
    readonly delegated: {
      readonly kubeconfig: string;
      readonly alwaysAllowPaths: readonly string[];
      readonly authorizedTtl: number;
      readonly unauthorizedTtl: number;
    };
  };
  readonly coreApi?: { readonly kubeconfig: string };
}

/** Reads the flags. `file` returns the absolute path of a flag's file, "" for none. */
export function readDelegated(flags: Flags, file: (flag: string) => string): DelegatedFlags {
  return {
    ...(flags.has("authentication-kubeconfig") && { authentication: readAuthentication(flags, file) }),
    ...(flags.has("authorization-kubeconfig") && {
      authorization: {
        delegated: {
          kubeconfig: file("authorization-kubeconfig"),
          alwaysAllowPaths: flags.strings("authorization-always-allow-paths"),
          authorizedTtl: flags.duration("authorization-webhook-cache-authorized-ttl"),
          unauthorizedTtl: flags.duration("authorization-webhook-cache-unauthorized-ttl"),
        },
      },
    }),
    ...(flags.has("kubeconfig") && { coreApi: { kubeconfig: file("kubeconfig") } }),
  };
}

function readAuthentication(
  flags: Flags,
  file: (flag: string) => string,
): NonNullable<DelegatedFlags["authentication"]> {
  const clientCaFile = file("client-ca-file");
  const proxyCaFile = file("requestheader-client-ca-file");
  return {
    ...(clientCaFile !== "" && { clientCaFiles: [clientCaFile] }),
    ...(proxyCaFile !== "" && { requestHeader: { clientCaFile: proxyCaFile, ...readProxyHeaders(flags) } }),
    delegated: {
      kubeconfig: file("authentication-kubeconfig"),
      cacheTtl: flags.duration("authentication-token-webhook-cache-ttl"),
      skipLookup: flags.bool("authentication-skip-lookup"),
      tolerateLookupFailure: flags.bool("authentication-tolerate-lookup-failure"),
    },
  };
}

/** The names of the headers, which k8s.io/apiserver checks without a file of authorities too. */
export const readProxyHeaders = (flags: Flags) => ({
  allowedNames: flags.strings("requestheader-allowed-names"),
  usernameHeaders: flags.strings("requestheader-username-headers"),
  uidHeaders: flags.strings("requestheader-uid-headers"),
  groupHeaders: flags.strings("requestheader-group-headers"),
  extraHeadersPrefixes: flags.strings("requestheader-extra-headers-prefix"),
});
