import { join, resolve } from "node:path";
import { once } from "../../base/async/once.js";
import { type CommandFiles, machineFiles } from "../../base/files/command-files.js";
import { PathError } from "../../base/files/path-error.js";
import type { ClientConfig, ExecConfig, ImpersonationConfig } from "./client-config.js";
import type { ConfigOverrides } from "./config-overrides.js";
import { type EffectiveEntries, effectiveEntries, requireNamedEntries } from "./effective-entries.js";
import { inClusterNamespace, inClusterPossible, inClusterServer, SERVICE_ACCOUNT_FOLDER } from "./in-cluster.js";
import type { Kubeconfig, KubeconfigCluster, KubeconfigExec, KubeconfigUser } from "./kubeconfig.js";
import { homeDirectory, type KubeconfigSources, loadKubeconfig } from "./load-kubeconfig.js";
import { serverUrl } from "./server-url.js";
import { validateEntries } from "./validate-entries.js";
import { parseGoDuration } from "../../base/text/go-literals.js";

/**
 * Loads kubeconfig, environment and flags once, on first use. `namespace` and `clientConfig` are kubectl's two ways in: each
 * reports a missing context in its own words, so the first one that a command calls decides.
 */
export interface ConfigLoader {
  /** The merged kubeconfig with resolved paths, without the flags. */
  rawConfig(): Promise<Kubeconfig>;
  /** The namespace in force. `enforced` is true when the flag set it. */
  namespace(): Promise<{ readonly namespace: string; readonly enforced: boolean }>;
  clientConfig(): Promise<ClientConfig>;
}

export interface ConfigLoaderOptions {
  readonly overrides: ConfigOverrides;
  readonly env: KubeconfigSources["env"];
  readonly cwd: string;
  readonly userAgent: string;
  readonly log?: KubeconfigSources["log"];
  /** The files that the kubeconfig lies in and names. Default: this machine's. */
  readonly files?: CommandFiles | undefined;
  /** Replaces the kubeconfig files of the environment. */
  readonly kubeconfig?: () => Promise<Kubeconfig>;
  /** The folder of a pod's token. Default: where Kubernetes mounts it. */
  readonly serviceAccountFolder?: string;
  /** Prompts for credentials when an https server is configured without any. Absent: no prompt. */
  readonly prompt?: () => Promise<{ readonly username: string; readonly password: string }>;
}

export function createConfigLoader(options: ConfigLoaderOptions): ConfigLoader {
  const { overrides, env, cwd, files, log, serviceAccountFolder: pod = SERVICE_ACCOUNT_FOLDER } = options;
  const defaultServer = env["KUBERNETES_MASTER"] || "http://localhost:8080";
  const rawConfig = once(
    options.kubeconfig ?? (() => loadKubeconfig({ explicitPath: overrides.kubeconfig, env, cwd, log, files })),
  );

  const namespace = once(async () => {
    const config = await rawConfig();
    if (overrides.namespace !== "") return { namespace: overrides.namespace, enforced: true };
    const entries = effectiveEntries(config, overrides, defaultServer);
    validateEntries(config, entries, cwd, files);
    const own = entries.context.namespace;
    if (!own && inClusterPossible(env, pod, files)) {
      return { namespace: inClusterNamespace(env, pod, files), enforced: false };
    }
    return { namespace: own || "default", enforced: false };
  });

  const clientConfig = once(async () => {
    const config = await rawConfig();
    requireNamedEntries(config, overrides);
    const entries = effectiveEntries(config, overrides, defaultServer);
    validateEntries(config, entries, cwd, files);
    const connection = await connectionOf(entries, options);
    const effective =
      isDefault(connection, defaultServer) && inClusterPossible(env, pod, files)
        ? inClusterConnection(options, pod)
        : connection;
    return { ...effective, userAgent: options.userAgent, cacheDir: cacheFolder(options), ...(await namespaceOf()) };
  });

  async function namespaceOf() {
    const { namespace: name, enforced } = await namespace();
    return { namespace: name, namespaceEnforced: enforced };
  }

  return { rawConfig, namespace, clientConfig };
}

type Connection = Omit<ClientConfig, "userAgent" | "cacheDir" | "namespace" | "namespaceEnforced">;

async function connectionOf(entries: EffectiveEntries, options: ConfigLoaderOptions): Promise<Connection> {
  const { cluster, user } = entries;
  const timeout = parseRequestTimeout(options.overrides.requestTimeout);
  const tls = tlsOf(cluster, user);
  // client-go decides by the scheme alone whether to read credentials, because it has not read the TLS settings yet.
  const secure = /^https:\/\//i.test(cluster.server ?? "");
  const server = serverUrl(cluster.server ?? "", secure && hasTls(tls));
  const impersonate = impersonationOf(user);
  const proxyUrl = cluster["proxy-url"];
  return {
    server,
    tls: secure ? tls : { insecureSkipVerify: false },
    auth: {
      ...(secure && (await credentialsOf(cluster, user, options))),
      ...(impersonate && { impersonate }),
    },
    ...(proxyUrl && { proxyUrl }),
    disableCompression: cluster["disable-compression"] ?? false,
    timeout,
  };
}

function tlsOf(cluster: KubeconfigCluster, user: KubeconfigUser): Connection["tls"] {
  const serverName = cluster["tls-server-name"];
  const caFile = cluster["certificate-authority"];
  const caData = cluster["certificate-authority-data"];
  const certFile = user["client-certificate"];
  const certData = user["client-certificate-data"];
  const keyFile = user["client-key"];
  const keyData = user["client-key-data"];
  const hasCertificate = certFile || certData?.length;
  return {
    insecureSkipVerify: cluster["insecure-skip-tls-verify"] ?? false,
    ...(serverName && { serverName }),
    ...(caFile && { caFile }),
    ...(caData?.length && { caData }),
    ...(certFile && { certFile }),
    ...(certData?.length && { certData }),
    ...(hasCertificate && keyFile && { keyFile }),
    ...(hasCertificate && keyData?.length && { keyData }),
  };
}

function hasTls(tls: Connection["tls"]): boolean {
  return tls.insecureSkipVerify || Boolean(tls.caFile ?? tls.caData ?? tls.certFile ?? tls.certData);
}

async function credentialsOf(
  cluster: KubeconfigCluster,
  user: KubeconfigUser,
  options: ConfigLoaderOptions,
): Promise<Partial<Connection["auth"]>> {
  const token = user.token || (user.tokenFile ? readToken(user.tokenFile, options.files) : "");
  const found = {
    ...(token && { token }),
    ...(user.tokenFile && { tokenFile: user.tokenFile }),
    ...(user.username && { username: user.username }),
    ...(user.password && { password: user.password }),
    ...(user["auth-provider"] && { authProvider: user["auth-provider"].name }),
    ...(user.exec && { exec: execOf(user.exec, cluster) }),
  };
  const identified =
    found.username ||
    found.token ||
    found.authProvider !== undefined ||
    found.exec ||
    user["client-certificate"] ||
    user["client-certificate-data"]?.length;
  if (identified || !options.prompt) return found;
  return { ...found, ...(await options.prompt()) };
}

function readToken(file: string, files: CommandFiles = machineFiles): string {
  try {
    return files.readFileSync(file).toString("utf8");
  } catch (error) {
    throw new PathError("open", file, error);
  }
}

function execOf(exec: KubeconfigExec, cluster: KubeconfigCluster): ExecConfig {
  const clusterConfig = cluster.extensions?.get("client.authentication.k8s.io/exec");
  return {
    apiVersion: exec.apiVersion ?? "",
    command: exec.command,
    args: exec.args ?? [],
    env: exec.env ?? [],
    ...(exec.installHint && { installHint: withoutControls(exec.installHint) }),
    provideClusterInfo: exec.provideClusterInfo,
    interactiveMode: exec.interactiveMode ?? "",
    ...(clusterConfig !== undefined && { clusterConfig }),
  };
}

/** Replaces control characters by Go's %U form, so that a hint from a file cannot control the terminal. */
function withoutControls(text: string): string {
  return text.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Z}\t\n\v\f\r]/gu, (char) => {
    return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

function impersonationOf(user: KubeconfigUser): ImpersonationConfig | undefined {
  if (!user.as) return undefined;
  const uid = user["as-uid"];
  return { user: user.as, ...(uid && { uid }), groups: user["as-groups"] ?? [], extra: user["as-user-extra"] ?? {} };
}

function isDefault(connection: Connection, defaultServer: string): boolean {
  return (
    connection.server === serverUrl(defaultServer, false) &&
    !connection.server.startsWith("https:") &&
    !connection.auth.impersonate &&
    connection.proxyUrl === undefined &&
    !connection.disableCompression &&
    connection.timeout === 0
  );
}

function inClusterConnection({ overrides, env, files }: ConfigLoaderOptions, folder: string): Connection {
  const found = inClusterServer(env, folder, files);
  const caFile = overrides.certificateAuthority || found.caFile;
  const auth = overrides.token === "" ? { token: found.token, tokenFile: found.tokenFile } : { token: overrides.token };
  return {
    server: overrides.server === "" ? found.server : serverUrl(overrides.server, true),
    tls: { insecureSkipVerify: false, ...(caFile && { caFile }) },
    auth,
    disableCompression: false,
    timeout: 0,
  };
}

function cacheFolder({ overrides, env, cwd }: ConfigLoaderOptions): string {
  return resolve(cwd, overrides.cacheDir || env["KUBECACHEDIR"] || join(homeDirectory(env), ".kube", "cache"));
}

/** Parses --request-timeout, whole seconds or a Go duration, into milliseconds. "" and "0" are no limit. */
export function parseRequestTimeout(text: string): number {
  if (text === "") return 0;
  if (/^\+?\d+$/.test(text)) return Number(text) * 1000;
  const duration = parseGoDuration(text);
  if (duration !== undefined) return duration;
  throw new Error(
    "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by a corresponding time unit (e.g. 1s | 2m | 3h)",
  );
}
