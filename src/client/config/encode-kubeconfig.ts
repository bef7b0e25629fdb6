import type { JsonObject, JsonValue } from "../../machinery/meta/json.js";
import type { Kubeconfig, KubeconfigCluster, KubeconfigContext, KubeconfigExec, KubeconfigUser } from "./kubeconfig.js";

/**
 * Encodes a kubeconfig as a v1 document, with fields in Go's order and entries sorted by name. It omits what Go omits when
 * empty; an empty list of entries is null. It writes secrets in clear text.
 */
export function encodeKubeconfig(config: Kubeconfig): JsonObject {
  const { colors, extensions } = config.preferences;
  const preferences = compact({ colors: colors === true, extensions: encodeExtensions(extensions) });
  return compact(
    {
      kind: "Config",
      apiVersion: "v1",
      preferences: Object.keys(preferences).length > 0 ? preferences : undefined,
      clusters: entries(config.clusters, "cluster", encodeCluster),
      users: entries(config.users, "user", encodeUser),
      contexts: entries(config.contexts, "context", encodeContext),
      "current-context": config.currentContext,
      extensions: encodeExtensions(config.extensions),
    },
    ["clusters", "users", "contexts", "current-context"],
  );
}

function entries<T>(map: ReadonlyMap<string, T>, field: string, encode: (entry: T) => JsonObject): JsonValue {
  if (map.size === 0) return null;
  return sorted(map).map(([name, entry]) => ({ name, [field]: encode(entry) }));
}

export function encodeCluster(cluster: KubeconfigCluster): JsonObject {
  return compact(
    {
      server: cluster.server ?? "",
      "tls-server-name": cluster["tls-server-name"],
      "insecure-skip-tls-verify": cluster["insecure-skip-tls-verify"],
      "certificate-authority": cluster["certificate-authority"],
      "certificate-authority-data": base64(cluster["certificate-authority-data"]),
      "proxy-url": cluster["proxy-url"],
      "disable-compression": cluster["disable-compression"],
      extensions: encodeExtensions(cluster.extensions),
    },
    ["server"],
  );
}

export function encodeUser(user: KubeconfigUser): JsonObject {
  const provider = user["auth-provider"];
  return compact({
    "client-certificate": user["client-certificate"],
    "client-certificate-data": base64(user["client-certificate-data"]),
    "client-key": user["client-key"],
    "client-key-data": base64(user["client-key-data"]),
    token: user.token,
    tokenFile: user.tokenFile,
    as: user.as,
    "as-uid": user["as-uid"],
    "as-groups": list(user["as-groups"]),
    "as-user-extra": lists(user["as-user-extra"]),
    username: user.username,
    password: user.password,
    "auth-provider": provider && { name: provider.name, config: { ...provider.config } },
    exec: user.exec && encodeExec(user.exec),
    extensions: encodeExtensions(user.extensions),
  });
}

function encodeExec(exec: KubeconfigExec): JsonObject {
  return compact(
    {
      command: exec.command,
      args: exec.args === null ? null : [...exec.args],
      env: exec.env === null ? null : exec.env.map(({ name, value }) => ({ name, value })),
      apiVersion: exec.apiVersion,
      installHint: exec.installHint,
      provideClusterInfo: exec.provideClusterInfo,
      interactiveMode: exec.interactiveMode,
    },
    ["command", "args", "env", "provideClusterInfo"],
  );
}

export function encodeContext(context: KubeconfigContext): JsonObject {
  return compact(
    {
      cluster: context.cluster ?? "",
      user: context.user ?? "",
      namespace: context.namespace,
      extensions: encodeExtensions(context.extensions),
    },
    ["cluster", "user"],
  );
}

function encodeExtensions(extensions: ReadonlyMap<string, JsonValue> | undefined): JsonValue | undefined {
  if (extensions === undefined || extensions.size === 0) return undefined;
  return sorted(extensions).map(([name, extension]) => ({ name, extension }));
}

function sorted<T>(map: ReadonlyMap<string, T>): readonly (readonly [string, T])[] {
  return [...map].sort(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

const base64 = (bytes: Uint8Array | undefined): string | undefined =>
  bytes === undefined || bytes.length === 0 ? undefined : Buffer.from(bytes).toString("base64");

const list = (values: readonly string[] | undefined): JsonValue | undefined =>
  values === undefined || values.length === 0 ? undefined : [...values];

function lists(values: Readonly<Record<string, readonly string[]>> | undefined): JsonValue | undefined {
  if (values === undefined || Object.keys(values).length === 0) return undefined;
  return Object.fromEntries(Object.entries(values).map(([key, items]) => [key, [...items]]));
}

/** Drops empty fields except those that Go always writes. */
function compact(fields: Readonly<Record<string, JsonValue | undefined>>, always: readonly string[] = []): JsonObject {
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    if (always.includes(name) || (value !== "" && value !== false && value !== null)) result[name] = value;
  }
  return result;
}
