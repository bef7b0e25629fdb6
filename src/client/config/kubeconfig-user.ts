import { resolve } from "node:path";
import { encodeKubeconfig } from "./encode-kubeconfig.js";
import { emptyKubeconfig, type Kubeconfig } from "./kubeconfig.js";
import type { KubeconfigLocation } from "./kubeconfig-context.js";
import { defaultKubeconfigFile, modifyKubeconfig, startingKubeconfig } from "./kubeconfig-writer.js";

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
