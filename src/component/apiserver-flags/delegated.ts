import type { ComponentFlag, FlagSection } from "../component-flag.js";
import type { Flags } from "../flags/flag-set.js";
import { goQuote } from "../../base/text/go-quote.js";
import { dns1123LabelErrors } from "../../machinery/validation/names.js";
import { type OptionGroup, type OptionsOf, readOptions, readWithDefaults, sectionOf } from "../option-group.js";
import { authenticationOptions } from "./authentication.js";

/** The options for a main server that authenticates the callers of an extension server: k8s.io/apiserver's flags and defaults. */
export const delegatedAuthenticationOptions = {
  /** How long the answer about a token is kept, in milliseconds. Default: 10 seconds. */
  cacheTtl: {
    name: "authentication-token-webhook-cache-ttl",
    type: "duration",
    default: "10s",
    usage: "How long the main server's answers about tokens are kept.",
  },
  /** A kubeconfig file of the main server. Default: the address and the service account of the Pod that the process runs in. */
  kubeconfig: {
    name: "authentication-kubeconfig",
    type: "string",
    isFile: true,
    usage:
      "A kubeconfig of the main server, whose user may create tokenreviews; without it, the service account of the Pod.",
  },
  /** Whether the ConfigMap is left unread. Default false. */
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

/** The options for a main server that authorizes requests, by SubjectAccessReviews. */
export const delegatedAuthorizationOptions = {
  /** Paths that everybody may use; a * at the end stands for any rest. Default: /healthz, /readyz, /livez. */
  alwaysAllowPaths: {
    name: "authorization-always-allow-paths",
    type: "stringSlice",
    default: "[/healthz,/readyz,/livez]",
    usage: "Paths that everybody may use; a * at the end stands for any rest.",
  },
  /** How long an answer that allows is kept, in milliseconds; 0 keeps none. Default: 10 seconds. */
  authorizedTtl: {
    name: "authorization-webhook-cache-authorized-ttl",
    type: "duration",
    default: "10s",
    usage: "How long the main server's answers that allow are kept.",
  },
  /** A kubeconfig file of the main server. Default: the address and the service account of the Pod that the process runs in. */
  kubeconfig: {
    name: "authorization-kubeconfig",
    type: "string",
    isFile: true,
    usage:
      "A kubeconfig of the main server, whose user may create subjectaccessreviews; without it, the service account of the Pod.",
  },
  /** How long any other answer is kept, in milliseconds. Default: 10 seconds. */
  unauthorizedTtl: {
    name: "authorization-webhook-cache-unauthorized-ttl",
    type: "duration",
    default: "10s",
    usage: "How long the main server's other answers are kept.",
  },
} as const satisfies OptionGroup;

/** The options for the main server whose objects an extension server reads. */
export const coreApiOptions = {
  /** A kubeconfig file. Default: the address and the service account of the Pod that the process runs in. */
  kubeconfig: {
    name: "kubeconfig",
    type: "string",
    isFile: true,
    usage: "A kubeconfig of the main server, whose objects this one reads; without it, the service account of the Pod.",
  },
} as const satisfies OptionGroup;

/** The options for how an extension server registers itself at its main server. */
export const registrationOptions = {
  /** The Service by which the main server reaches this one; the server makes it. */
  service: {
    name: "register-service",
    type: "string",
    isNeeded: true,
    usage:
      "Register this server at the main server of --kubeconfig: the Service to make there, as NAMESPACE/NAME, with an APIService for each version that is served.",
    read: readServiceName,
    write: (value) => [serviceText(value)],
    faults: serviceNameFaults,
  },
  /** The DNS name by which the main server reaches this one. Default: "localhost" where this one listens on a loopback address. */
  host: {
    name: "register-host",
    type: "string",
    usage: "The DNS name by which the main server reaches this one; localhost where this one listens on loopback.",
  },
  /** The priority of the API groups at the main server, from 1 to 20000. Default 1000. */
  groupPriorityMinimum: {
    name: "register-group-priority-minimum",
    type: "int",
    default: "1000",
    usage: "The priority of the API groups at the main server, from 1 to 20000.",
    faults: (value) => rangeFaults("register-group-priority-minimum", value, 20_000),
  },
  /** The priority of each group's first version, from 1 to 1000; each version behind it has one less. Default 100. */
  versionPriority: {
    name: "register-version-priority",
    type: "int",
    default: "100",
    usage: "The priority of each group's first version, from 1 to 1000; each version behind it has one less.",
    faults: (value) => rangeFaults("register-version-priority", value, 1000),
  },
} as const satisfies OptionGroup;

interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

function readServiceName(given: unknown): ServiceName {
  const parts = String(given).split("/");
  const [namespace = "", name = ""] = parts.length === 2 ? parts : ["", String(given)];
  return { namespace, name };
}

const serviceText = (value: unknown): string => {
  const { namespace, name } = value as ServiceName;
  return namespace === "" ? name : `${namespace}/${name}`;
};

function serviceNameFaults(value: unknown): readonly string[] {
  const { namespace, name } = value as ServiceName;
  const errors = [...dns1123LabelErrors(namespace), ...dns1123LabelErrors(name)];
  if (errors.length === 0) return [];
  return [
    `--register-service ${goQuote(serviceText(value))} must name a Service as NAMESPACE/NAME: ${errors.join("; ")}`,
  ];
}

const rangeFaults = (flag: string, value: unknown, largest: number): readonly string[] =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= largest
    ? []
    : [`--${flag} ${String(value)} must be from 1 to ${largest}`];

const { requestHeader } = authenticationOptions;

/** Authorities of files, in place of those that the main server publishes. */
const trustOptions = {
  clientCaFile: {
    name: "client-ca-file",
    type: "string",
    isFile: true,
    usage: "The CAs that sign clients' certificates, in place of those that the main server publishes.",
  },
  requestHeader: {
    ...requestHeader,
    clientCaFile: {
      ...requestHeader.clientCaFile,
      usage: "The CAs that sign front proxies' certificates, in place of those that the main server publishes.",
    },
    extraHeadersPrefixes: { ...requestHeader.extraHeadersPrefixes, default: "[x-remote-extra-]" },
    groupHeaders: { ...requestHeader.groupHeaders, default: "[x-remote-group]" },
    usernameHeaders: { ...requestHeader.usernameHeaders, default: "[x-remote-user]" },
  },
} as const satisfies OptionGroup;

/** Makes the section of authentication; `tolerates` is the program's default of --authentication-tolerate-lookup-failure. */
export function delegatedAuthenticationSection(tolerates: boolean): FlagSection {
  const { tolerateLookupFailure, ...others } = delegatedAuthenticationOptions;
  const tolerance: ComponentFlag = { ...tolerateLookupFailure, ...(tolerates && { default: "true" }) };
  return sectionOf("authentication", { ...others, ...trustOptions }, [tolerance]);
}

/** Makes the section of authorization; `paths` are the program's default of --authorization-always-allow-paths. */
export function delegatedAuthorizationSection(paths: readonly string[] | undefined): FlagSection {
  const { alwaysAllowPaths, ...others } = delegatedAuthorizationOptions;
  const allowed: ComponentFlag = { ...alwaysAllowPaths, ...(paths && { default: `[${paths.join(",")}]` }) };
  return sectionOf("authorization", others, [allowed]);
}

export const coreApiSection: FlagSection = sectionOf("core API", coreApiOptions, []);

export const registrationSection: FlagSection = sectionOf("registration", registrationOptions, []);

type ProxyOptions = OptionsOf<typeof requestHeader>;

/** The values of the flags of those delegation sections that the program has. */
export interface DelegatedFlags {
  readonly authentication?: {
    readonly clientCaFiles?: readonly string[];
    readonly requestHeader?: ProxyOptions;
    readonly delegated: OptionsOf<typeof delegatedAuthenticationOptions>;
  };
  readonly authorization?: { readonly delegated: OptionsOf<typeof delegatedAuthorizationOptions> };
  readonly coreApi?: OptionsOf<typeof coreApiOptions>;
  readonly registration?: OptionsOf<typeof registrationOptions>;
}

export function readDelegated(flags: Flags, cwd: string): DelegatedFlags {
  const { authentication, authorization, coreApi } = readWithDefaults(
    {
      authentication: delegatedAuthenticationOptions,
      authorization: delegatedAuthorizationOptions,
      coreApi: coreApiOptions,
    },
    flags,
    cwd,
  );
  const { clientCaFile } = readWithDefaults(trustOptions, flags, cwd);
  const { registration } = readOptions({ registration: registrationOptions }, flags, cwd);
  const proxy = readProxy(flags, cwd);
  return {
    ...(authentication && {
      authentication: {
        ...(clientCaFile !== undefined && { clientCaFiles: [clientCaFile] }),
        ...(proxy.clientCaFile !== "" && { requestHeader: proxy }),
        delegated: authentication,
      },
    }),
    ...(authorization && { authorization: { delegated: authorization } }),
    ...(coreApi && { coreApi }),
    ...(registration && { registration }),
  };
}

/** Reads the front proxy from the flags. k8s.io/apiserver validates its headers even without a CA file, and has no default header for uids. */
export function readProxy(flags: Flags, cwd: string): ProxyOptions {
  const { requestHeader: read } = readWithDefaults(trustOptions, flags, cwd);
  return { clientCaFile: "", uidHeaders: [], ...read };
}
