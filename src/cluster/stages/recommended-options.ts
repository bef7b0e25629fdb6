import { featuresSection } from "../../component/apiserver-flags/features.js";
import {
  coreApiSection,
  delegatedAuthenticationSection,
  delegatedAuthorizationSection,
  readDelegated,
  readProxy,
  registrationSection,
} from "../../component/apiserver-flags/delegated.js";
import type { FlagSection } from "../../component/component-flag.js";
import type { Flags } from "../../component/flags/flag-set.js";
import { requestHeaderNameFaults } from "../options/authentication-options.js";
import type { DelegatedAuthenticationOptions } from "../options/authentication-options.js";
import type { DelegatedAuthorizationOptions } from "../options/authorization-options.js";
import type { ServerOptions } from "../options/server-options.js";

/**
 * The groups of options that k8s.io/apiserver recommends for an extension server. A program has the flags of a group, and what
 * they configure, unless the group is undefined.
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
  /** The audit log and its webhook. */
  audit: object | undefined;
  features: object | undefined;
  /** A client and informers of the main server, for hooks and admission plugins, and for the registration of the server there. */
  coreApi: object | undefined;
  admission: object | undefined;
  /** Where traces of requests are sent. */
  traces: object | undefined;
}

/** All groups of options, with objects below `prefix` in etcd: "/registry/wardle.example.com". Set a group to undefined to leave it out. */
export const recommendedOptions = (prefix: string): RecommendedOptions => ({
  etcd: { prefix },
  secureServing: {},
  authentication: {},
  authorization: {},
  audit: {},
  features: {},
  coreApi: {},
  admission: {},
  traces: {},
});

/** The sections that stand for a group, by their names. */
const GROUP_OF: ReadonlyMap<string, keyof RecommendedOptions> = new Map([
  ["etcd", "etcd"],
  ["secure serving", "secureServing"],
  ["auditing", "audit"],
  ["admission", "admission"],
  ["traces", "traces"],
] as const);

/** The flag sections of a program: those of `base` whose groups it has, and those for delegation to a main server. */
export function sectionsOf(
  base: readonly FlagSection[],
  recommended: RecommendedOptions | undefined,
): readonly FlagSection[] {
  if (recommended === undefined) return base;
  const { authentication, authorization, features, coreApi, etcd } = recommended;
  const isDelegated = authentication !== undefined || authorization !== undefined;
  return [
    ...base
      // A port without TLS lets in everybody without a question to the main server.
      .filter(({ name }) => !(isDelegated && name === "insecure serving"))
      .filter(({ name }) => {
        const group = GROUP_OF.get(name);
        return group === undefined || recommended[group] !== undefined;
      })
      .map((section) => withDefaults(section, { ...RECOMMENDED, "etcd-prefix": etcd?.prefix ?? "" })),
    ...(authentication === undefined
      ? []
      : [delegatedAuthenticationSection(authentication.tolerateLookupFailure === true)]),
    ...(authorization === undefined ? [] : [delegatedAuthorizationSection(authorization.alwaysAllowPaths)]),
    ...(features === undefined ? [] : [withDefaults(featuresSection, WITHOUT_FAIRNESS)]),
    ...(coreApi === undefined ? [] : [coreApiSection, registrationSection]),
  ];
}

/** Defaults that k8s.io/apiserver recommends in place of kube-apiserver's. */
const RECOMMENDED: Readonly<Record<string, string>> = { "http2-max-streams-per-connection": "1000" };

/** A program needs a right at the main server to read FlowSchemas there. */
const WITHOUT_FAIRNESS: Readonly<Record<string, string>> = { "enable-priority-and-fairness": "false" };

const withDefaults = ({ name, flags }: FlagSection, defaults: Readonly<Record<string, string>>): FlagSection => ({
  name,
  flags: flags.map((flag) => ({ ...flag, ...(defaults[flag.name] !== undefined && { default: defaults[flag.name] }) })),
});

/** The options that the flags of the recommended groups set, in addition to the program's own. */
export function delegatedOptions(
  recommended: RecommendedOptions | undefined,
  options: ServerOptions,
  flags: Flags,
  cwd: string,
): Pick<ServerOptions, "authentication" | "authorization" | "coreApi" | "registration"> {
  if (recommended === undefined) return {};
  const { authentication, authorization, coreApi, registration } = readDelegated(flags, cwd);
  const { optional: isOptional } = recommended.authentication ?? {};
  return {
    ...(authentication && {
      authentication: {
        ...options.authentication,
        ...authentication,
        delegated: { ...authentication.delegated, ...(isOptional && { optional: true }) },
      },
    }),
    ...(authorization && {
      authorization: {
        delegated: { ...authorization.delegated, ...(recommended.authorization?.optional && { optional: true }) },
      },
    }),
    ...(coreApi && { coreApi }),
    ...(registration && { registration: { ...options.registration, ...registration } }),
  };
}

/**
 * Finds the faults in the names of headers of the --requestheader-... flags where --requestheader-client-ca-file is "": the options have no
 * front proxy then, whose check would find them.
 */
export function delegatedFlagFaults(flags: Flags, cwd: string): readonly string[] {
  if (!flags.has("requestheader-client-ca-file") || flags.string("requestheader-client-ca-file") !== "") return [];
  return requestHeaderNameFaults(readProxy(flags, cwd));
}
