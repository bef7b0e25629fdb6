import type { ConfigOverrides } from "./config-overrides.js";
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigUser } from "./kubeconfig.js";
import { goQuote } from "../../base/text/go-quote.js";
import { withMistyped } from "../../base/text/mistyped.js";

/** The context, cluster and user in force: the entries of the kubeconfig, overridden by the flags. */
export interface EffectiveEntries {
  readonly contextName: string;
  readonly context: KubeconfigContext;
  readonly clusterName: string;
  readonly cluster: KubeconfigCluster;
  readonly userName: string;
  readonly user: KubeconfigUser;
}

/** Throws for the first name in a flag that does not exist. Checks user, context and cluster in that order. */
export function requireNamedEntries(config: Kubeconfig, overrides: ConfigOverrides): void {
  const { user, context, cluster } = overrides;
  const required = [
    ["auth info", user, config.users],
    ["context", context, config.contexts],
    ["cluster", cluster, config.clusters],
  ] as const;
  for (const [what, name, entries] of required) {
    if (name === "" || entries.has(name)) continue;
    const error = new Error(`${what} ${goQuote(name)} does not exist`);
    throw withMistyped(error, () => ({ typed: name, known: entries.keys() }));
  }
}

/** Computes the effective entries. Never throws. A name in a flag that does not exist gives an empty entry without the overrides. */
export function effectiveEntries(
  config: Kubeconfig,
  overrides: ConfigOverrides,
  defaultServer: string,
): EffectiveEntries {
  const contextName = overrides.context || config.currentContext;
  const missingContext = overrides.context !== "" && !config.contexts.has(contextName);
  const context = missingContext
    ? { origin: "" }
    : overlay<KubeconfigContext>(config.contexts.get(contextName) ?? { origin: "" }, {
        cluster: overrides.cluster,
        user: overrides.user,
        namespace: overrides.namespace,
      });
  const userName = overrides.user || (context.user ?? "");
  const clusterName = overrides.cluster || (context.cluster ?? "");
  const cluster = config.clusters.get(clusterName);
  const user = config.users.get(userName);
  return {
    contextName,
    context,
    clusterName,
    cluster: overrides.cluster !== "" && !cluster ? { origin: "" } : clusterOf(cluster, overrides, defaultServer),
    userName,
    user: overrides.user !== "" && !user ? { origin: "" } : userOf(user, overrides),
  };
}

function clusterOf(
  own: KubeconfigCluster | undefined,
  overrides: ConfigOverrides,
  defaultServer: string,
): KubeconfigCluster {
  const cluster = overlay<KubeconfigCluster>(
    { origin: "", ...own, server: own?.server || defaultServer },
    {
      server: overrides.server,
      "proxy-url": overrides.proxyUrl,
      "disable-compression": overrides.disableCompression,
    },
  );
  // A TLS trust flag replaces all TLS trust settings of the file, which could contradict it.
  if (overrides.insecureSkipTlsVerify || overrides.certificateAuthority !== "") {
    delete cluster["certificate-authority-data"];
    cluster["insecure-skip-tls-verify"] = overrides.insecureSkipTlsVerify;
    cluster["certificate-authority"] = overrides.certificateAuthority;
  }
  // --server alone clears the file's tls-server-name, which belongs to another server.
  if (overrides.tlsServerName !== "" || overrides.server !== "") cluster["tls-server-name"] = overrides.tlsServerName;
  return cluster;
}

function userOf(own: KubeconfigUser | undefined, overrides: ConfigOverrides): KubeconfigUser {
  const extra = userExtra(overrides.asUserExtra);
  const user = overlay<KubeconfigUser>(own ?? { origin: "" }, {
    "client-certificate": overrides.clientCertificate,
    "client-key": overrides.clientKey,
    token: overrides.token,
    username: overrides.username,
    password: overrides.password,
    as: overrides.as,
    "as-uid": overrides.asUid,
    "as-groups": overrides.asGroups.length > 0 ? overrides.asGroups : undefined,
    "as-user-extra": extra && { ...own?.["as-user-extra"], ...extra },
  });
  if (overrides.clientKey !== "") delete user["client-key-data"];
  if (overrides.clientCertificate !== "") delete user["client-certificate-data"];
  return user;
}

function userExtra(pairs: readonly string[]): Record<string, readonly string[]> | undefined {
  const extra = new Map<string, string[]>();
  for (const pair of pairs) {
    const equals = pair.indexOf("=");
    if (equals === -1) continue;
    const key = pair.slice(0, equals);
    extra.set(key, [...(extra.get(key) ?? []), pair.slice(equals + 1)]);
  }
  return extra.size === 0 ? undefined : Object.fromEntries(extra);
}

/** Copies `base` with the values that are set. */
function overlay<T extends object>(base: T, values: { [K in keyof T]?: T[K] | undefined }): T {
  const result = { ...base };
  for (const key of Object.keys(values) as (keyof T)[]) {
    const value = values[key];
    if (value !== undefined && value !== "" && value !== false) result[key] = value;
  }
  return result;
}
