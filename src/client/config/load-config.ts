import { join } from "node:path";
import { type Environment, surroundingsOf } from "../surroundings.js";
import { type ClientConfig, USER_AGENT } from "./client-config.js";
import { createConfigLoader } from "./config-loader.js";
import { type ConfigOverrides, noOverrides } from "./config-overrides.js";
import { decodeKubeconfig } from "./decode-kubeconfig.js";
import { inClusterNamespace, inClusterPossible, inClusterServer, SERVICE_ACCOUNT_FOLDER } from "./in-cluster.js";
import type { KubeconfigDocument } from "./kubeconfig-document.js";
import { KubeconfigError, type KubeconfigFault } from "./kubeconfig-error.js";
import { kubeconfigFiles } from "./load-kubeconfig.js";
import { mergeKubeconfigs } from "./merge-kubeconfigs.js";

export interface LoadConfigOptions extends Partial<ConfigOverrides> {
  readonly userAgent?: string;
  readonly env?: Environment;
  /** The base of relative file names. Default: the process's working directory. */
  readonly cwd?: string;
}

/**
 * Loads the configuration that kubectl would use: of the file `kubeconfig`, else of the files in KUBECONFIG, else of
 * ~/.kube/config, else of the pod's service account. The other options are kubectl's connection flags. Without `cacheDir`
 * nothing is cached on disk. Throws a {@link KubeconfigError}, which names file, entry and field; also where kubectl would try
 * http://localhost:8080, because nothing is configured.
 */
export async function loadConfig(options: LoadConfigOptions = {}): Promise<ClientConfig> {
  const { kubeconfig: explicitPath = "", cwd = process.cwd() } = options;
  const { env } = surroundingsOf(options);
  const { readDocument } = await import("./kubeconfig-document.js");
  const files = kubeconfigFiles({ explicitPath, env, cwd });
  const documents: KubeconfigDocument[] = [];
  for (const file of files) {
    const document = await readDocument(file, cwd);
    if (document !== undefined) documents.push(document);
    else if (explicitPath !== "") throw failure(file, "", "no such file");
  }
  return configOf(documents, files, options);
}

/** {@link loadConfig} of one file, which must exist. */
export function configFromFile(
  file: string,
  options: Omit<LoadConfigOptions, "kubeconfig"> = {},
): Promise<ClientConfig> {
  if (file === "") return Promise.reject(failure("kubeconfig", "", 'the name of the file is ""'));
  return loadConfig({ ...options, kubeconfig: file });
}

/** {@link loadConfig} of a kubeconfig's text, YAML or JSON. Its relative file names are relative to `cwd`. */
export async function configFromText(
  text: string,
  options: Omit<LoadConfigOptions, "kubeconfig"> = {},
): Promise<ClientConfig> {
  const { parseDocument } = await import("./kubeconfig-document.js");
  return configOf([await parseDocument(text, TEXT)], [TEXT], options);
}

/** How errors name a text. */
const TEXT = "kubeconfig";

export interface InClusterOptions {
  readonly userAgent?: string;
  readonly env?: Environment;
  /** The folder of the pod's token. Default: where Kubernetes mounts it. */
  readonly serviceAccountFolder?: string;
}

/** The configuration of a pod's service account. Throws where the process does not run in a pod that has one. */
export async function inClusterConfig(options: InClusterOptions = {}): Promise<ClientConfig> {
  const { userAgent = USER_AGENT, serviceAccountFolder: folder = SERVICE_ACCOUNT_FOLDER } = options;
  const { env } = surroundingsOf(options);
  if (!env["KUBERNETES_SERVICE_HOST"] || !env["KUBERNETES_SERVICE_PORT"]) {
    throw new Error(
      "unable to load in-cluster configuration, KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must be defined",
    );
  }
  const { server, token, tokenFile, caFile } = inClusterServer(env, folder);
  return {
    server,
    tls: { insecureSkipVerify: false, ...(caFile !== undefined && { caFile }) },
    auth: { token, tokenFile },
    disableCompression: false,
    timeout: 0,
    userAgent,
    namespace: inClusterNamespace(env, folder),
    namespaceEnforced: false,
    cacheDir: "",
  };
}

async function configOf(
  documents: readonly KubeconfigDocument[],
  files: readonly string[],
  options: LoadConfigOptions,
): Promise<ClientConfig> {
  const { userAgent = USER_AGENT, cwd = process.cwd() } = options;
  const { env } = surroundingsOf(options);
  const overrides = { ...noOverrides, ...options };
  const [{ typeFaults }, { faultsInUse }] = await Promise.all([
    import("./kubeconfig-document.js"),
    import("./kubeconfig-faults.js"),
  ]);
  throwFaults(documents.flatMap(typeFaults));
  throwFaults(faultsInUse(documents, overrides, cwd));
  const merged = mergeKubeconfigs(
    documents.map(({ file, value }) => decodeKubeconfig(value, file === TEXT ? join(cwd, TEXT) : file)),
    cwd,
  );
  const { contexts, currentContext } = merged;
  const cluster = overrides.cluster || contexts.get(overrides.context || currentContext)?.cluster;
  if (!cluster && overrides.server === "" && !env["KUBERNETES_MASTER"]) {
    if (!inClusterPossible(env, SERVICE_ACCOUNT_FOLDER)) throw nothingConfigured(documents, files);
  }
  const loader = createConfigLoader({ overrides, env, cwd, userAgent, kubeconfig: () => Promise.resolve(merged) });
  return { ...(await loader.clientConfig()), cacheDir: options.cacheDir ?? "" };
}

function throwFaults(faults: readonly KubeconfigFault[]): void {
  if (faults.length > 0) throw new KubeconfigError(faults);
}

function nothingConfigured(documents: readonly KubeconfigDocument[], files: readonly string[]): KubeconfigError {
  if (documents.length === 0) {
    return failure(
      files.join(", "),
      "",
      "no such file, and this process is not in a pod: set KUBECONFIG, or give a kubeconfig or a server",
    );
  }
  const named = documents.map(({ file }) => file).join(", ");
  return failure(named, "current-context", "names no context with a cluster: set it, or give a context or a server");
}

const failure = (file: string, field: string, problem: string): KubeconfigError =>
  new KubeconfigError([{ file, entry: "", field, problem }]);
