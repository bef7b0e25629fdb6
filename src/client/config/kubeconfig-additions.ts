import { resolve } from "node:path";
import { encodeKubeconfig } from "./encode-kubeconfig.js";
import { emptyKubeconfig, type Kubeconfig } from "./kubeconfig.js";
import { defaultKubeconfigFile, modifyKubeconfig, startingKubeconfig } from "./kubeconfig-writer.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { decodeKubeconfig } from "./decode-kubeconfig.js";

/** A certificate and its key, both PEM. */
export interface UserCredentials {
  readonly certificate: string;
  readonly key: string;
}

const entryOf = ({ certificate, key }: UserCredentials) => ({
  origin: "",
  "client-certificate-data": Buffer.from(certificate),
  "client-key-data": Buffer.from(key),
});

/** A kubeconfig (JSON text) of one context, `name`, in which that user reaches the cluster of `context` in `config`. */
export function kubeconfigOfUser(config: Kubeconfig, context: string, name: string, user: UserCredentials): string {
  const found = config.contexts.get(context);
  const cluster = config.clusters.get(found?.cluster ?? "");
  if (found === undefined || cluster === undefined) throw noCluster(context);
  const own: Kubeconfig = {
    ...emptyKubeconfig(),
    currentContext: name,
    clusters: new Map([[found.cluster ?? "", cluster]]),
    users: new Map([[name, entryOf(user)]]),
    contexts: new Map([[name, { origin: "", cluster: found.cluster ?? "", user: name }]]),
  };
  return `${JSON.stringify(encodeKubeconfig(own), undefined, 2)}\n`;
}

/**
 * Writes a context `name` for that user and the cluster of `context` into the user's kubeconfig; the current context stays. Returns
 * the absolute path of the file that gets new entries.
 */
export async function addUserContext(
  context: string,
  name: string,
  user: UserCredentials,
  explicitPath: string,
  location: KubeconfigLocation,
): Promise<string> {
  const sources = { ...location, explicitPath };
  const start = await startingKubeconfig(sources);
  const cluster = start.contexts.get(context)?.cluster;
  if (cluster === undefined) throw noCluster(context);
  const wanted = structuredClone(start);
  wanted.users.set(name, { ...entryOf(user), origin: wanted.users.get(name)?.origin ?? "" });
  wanted.contexts.set(name, { cluster, user: name, origin: wanted.contexts.get(name)?.origin ?? "" });
  await modifyKubeconfig(sources, { start, wanted }, false);
  return resolve(location.cwd, defaultKubeconfigFile(sources));
}

const noCluster = (context: string): Error =>
  new Error(
    context === ""
      ? "there is no current context: name the cluster's with --context"
      : `the kubeconfig has no context ${JSON.stringify(context)} with a cluster`,
  );

interface KubeconfigLocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly log?: VerboseLog | undefined;
}

/** The context that has become the current one. */
export interface CurrentContext {
  readonly context: string;
  /** The absolute path of the kubeconfig file that gets new entries. */
  readonly file: string;
}

/**
 * Copies the current context of `kubeconfig` (JSON text) with its cluster and user into the user's kubeconfig, as `name`. It
 * replaces entries of that name and makes the context current. `former` is the context that was current; "" for none.
 */
export async function addContext(
  name: string,
  kubeconfig: string,
  location: KubeconfigLocation,
): Promise<CurrentContext & { readonly former: string }> {
  const sources = { ...location, explicitPath: "" };
  const added = decodeKubeconfig(JSON.parse(kubeconfig), "");
  const start = await startingKubeconfig(sources);
  const wanted = structuredClone(start);
  const context = added.contexts.get(added.currentContext);
  const cluster = added.clusters.get(context?.cluster ?? "");
  const user = added.users.get(context?.user ?? "");
  if (context === undefined || cluster === undefined || user === undefined) {
    throw new Error("the kubeconfig to add has no current context with a cluster and a user");
  }
  wanted.clusters.set(name, { ...cluster, origin: wanted.clusters.get(name)?.origin ?? "" });
  wanted.users.set(name, { ...user, origin: wanted.users.get(name)?.origin ?? "" });
  wanted.contexts.set(name, { cluster: name, user: name, origin: wanted.contexts.get(name)?.origin ?? "" });
  wanted.currentContext = name;
  await modifyKubeconfig(sources, { start, wanted }, false);
  return { context: name, file: fileOf(sources), former: start.currentContext };
}

/**
 * Removes the context, cluster and user `name`, and the contexts USER@name of that cluster, with their users. If the current context was of
 * this cluster, the first of the `former` ones that still exists becomes current, and is the result. If none exists, a current context that
 * was removed is unset.
 */
export async function removeContext(
  name: string,
  former: readonly string[],
  location: KubeconfigLocation,
): Promise<CurrentContext | undefined> {
  const sources = { ...location, explicitPath: "" };
  const start = await startingKubeconfig(sources);
  const wanted = structuredClone(start);
  const had = [wanted.contexts, wanted.clusters, wanted.users].map((entries) => entries.delete(name));
  if (!had.includes(true)) return undefined;
  removeUserContexts(name, wanted);
  const { currentContext } = start;
  const isCurrent = currentContext === name || start.contexts.get(currentContext)?.cluster === name;
  const isOther = (context: string): boolean => {
    const entry = wanted.contexts.get(context);
    return entry !== undefined && entry.cluster !== name;
  };
  const next = isCurrent ? former.find(isOther) : undefined;
  if (next !== undefined) wanted.currentContext = next;
  else if (isCurrent && !wanted.contexts.has(currentContext)) wanted.currentContext = "";
  await modifyKubeconfig(sources, { start, wanted }, false);
  return next === undefined ? undefined : { context: next, file: fileOf(sources) };
}

/** Those that `cluster user --as-context` has written: each has a user of its own name. */
function removeUserContexts(cluster: string, { contexts, users }: Kubeconfig): void {
  for (const [name, context] of contexts) {
    if (context.cluster !== cluster || context.user !== name || !name.endsWith(`@${cluster}`)) continue;
    contexts.delete(name);
    const isUsed = [...contexts.values()].some(({ user }) => user === name);
    if (!isUsed) users.delete(name);
  }
}

const fileOf = (sources: KubeconfigLocation & { readonly explicitPath: string }): string =>
  resolve(sources.cwd, defaultKubeconfigFile(sources));
