import { featuresSection } from "../../component/apiserver-flags/features.js";
import {
  coreApiSection,
  delegatedAuthenticationOptions,
  delegatedAuthenticationSection,
  delegatedAuthorizationOptions,
  delegatedAuthorizationSection,
  delegatedClientOptions,
  mainServerOptions,
} from "../../component/apiserver-flags/delegated.js";
import type { FlagSection } from "../../component/component-flag.js";
import { readWithDefaults } from "../../component/option-group.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { requestHeaderNameFaults } from "../options/authentication-options.js";
import type { AuthenticationOptions, DelegatedAuthenticationOptions } from "../options/authentication-options.js";
import type { DelegatedAuthorizationOptions } from "../options/authorization-options.js";
import type { ServerOptions } from "../options/server-options.js";

/**
 * The groups of options that k8s.io/apiserver recommends for a server of an API of its own. A program has the flags of a group, and what they
 * configure, unless the group is undefined.
 */
export interface RecommendedOptions {
  /** Where objects are kept; `prefix` is what keys in etcd begin with. */
  etcd: { prefix: string } | undefined;
  /** The port with TLS. */
  secureServing: object | undefined;
  /** The main server says who callers are. Undefined: callers show this server's own certificates and tokens. */
  authentication: Pick<DelegatedAuthenticationOptions, "optional" | "tolerateLookupFailure"> | undefined;
  /** The main server says what callers may do. Undefined: everything, or what `authorization` of the program's options says. */
  authorization: Pick<DelegatedAuthorizationOptions, "optional" | "alwaysAllowPaths"> | undefined;
  features: object | undefined;
  /** A client and informers of the main server, for hooks and admission plugins. */
  coreApi: object | undefined;
  admission: object | undefined;
}

/** All groups, with objects below `prefix` in etcd: "/registry/wardle.example.com". Set a group to undefined to leave it out. */
export const recommendedOptions = (prefix: string): RecommendedOptions => ({
  etcd: { prefix },
  secureServing: {},
  authentication: {},
  authorization: {},
  features: {},
  coreApi: {},
  admission: {},
});

/** The sections that stand for a group, by their names. */
const GROUP_OF: ReadonlyMap<string, keyof RecommendedOptions> = new Map([
  ["etcd", "etcd"],
  ["secure serving", "secureServing"],
  ["admission", "admission"],
] as const);

/** The sections of a program: those of `base` whose groups it has, and those by which it asks a main server. */
export function sectionsOf(
  base: readonly FlagSection[],
  recommended: RecommendedOptions | undefined,
): readonly FlagSection[] {
  if (recommended === undefined) return base;
  const { authentication, authorization, features, coreApi, etcd } = recommended;
  const isDelegated = authentication !== undefined || authorization !== undefined;
  const defaults = {
    tolerateLookupFailure: authentication?.tolerateLookupFailure ?? false,
    alwaysAllowPaths: authorization?.alwaysAllowPaths ?? ["/healthz", "/readyz", "/livez"],
  };
  return [
    ...base
      // A port without TLS lets in everybody without a question to the main server.
      .filter(({ name }) => !(isDelegated && name === "insecure serving"))
      .filter(({ name }) => {
        const group = GROUP_OF.get(name);
        return group === undefined || recommended[group] !== undefined;
      })
      .map((section) => (section.name === "etcd" ? withPrefix(section, etcd?.prefix ?? "") : section)),
    ...(authentication === undefined ? [] : [delegatedAuthenticationSection(defaults)]),
    ...(authorization === undefined ? [] : [delegatedAuthorizationSection(defaults)]),
    ...(features === undefined ? [] : [featuresSection]),
    ...(coreApi === undefined ? [] : [coreApiSection]),
  ];
}

const withPrefix = ({ name, flags }: FlagSection, prefix: string): FlagSection => ({
  name,
  flags: flags.map((flag) => (flag.name === "etcd-prefix" ? { ...flag, default: prefix } : flag)),
});

/** The options that the flags of the groups stand for, on top of the program's own. */
export function delegatedOptions(
  recommended: RecommendedOptions | undefined,
  options: ServerOptions,
  flags: Flags,
  cwd: string,
): Pick<ServerOptions, "authentication" | "authorization" | "coreApi"> {
  const { authentication, authorization, coreApi } = recommended ?? {};
  const main = readWithDefaults(mainServerOptions, flags, cwd);
  return {
    ...(authentication && {
      authentication: {
        ...options.authentication,
        ...clientsOf(flags, cwd),
        delegated: {
          ...readWithDefaults(delegatedAuthenticationOptions, flags, cwd),
          kubeconfig: main.authentication ?? "",
          ...(authentication.optional && { optional: true }),
        },
      },
    }),
    ...(authorization && {
      authorization: {
        delegated: {
          ...readWithDefaults(delegatedAuthorizationOptions, flags, cwd),
          kubeconfig: main.authorization ?? "",
          ...(authorization.optional && { optional: true }),
        },
      },
    }),
    ...(coreApi && { coreApi: { kubeconfig: main.coreApi ?? "" } }),
  };
}

/** The authorities of files, in place of those that the main server publishes. */
function clientsOf(flags: Flags, cwd: string): Pick<AuthenticationOptions, "clientCaFiles" | "requestHeader"> {
  const { clientCaFile, requestHeader } = readWithDefaults(delegatedClientOptions, flags, cwd);
  const hasProxy = requestHeader !== undefined && requestHeader.clientCaFile !== "";
  return {
    ...(clientCaFile !== undefined && { clientCaFiles: [clientCaFile] }),
    ...(hasProxy && { requestHeader: { uidHeaders: [], ...requestHeader } }),
  };
}

/** What is wrong with flags that no option shows: the names of headers beside no file of authorities. */
export function delegatedFlagFaults(flags: Flags, cwd: string): readonly string[] {
  const { requestHeader } = readWithDefaults(delegatedClientOptions, flags, cwd);
  return requestHeader === undefined || requestHeader.clientCaFile !== "" ? [] : requestHeaderNameFaults(requestHeader);
}
