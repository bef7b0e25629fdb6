import { resolve } from "node:path";
import type { VerboseLog } from "../klog.js";
import { decodeKubeconfig } from "./decode-kubeconfig.js";
import { defaultKubeconfigFile, modifyKubeconfig, startingKubeconfig } from "./kubeconfig-writer.js";

export interface KubeconfigLocation {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly log?: VerboseLog | undefined;
}

/**
 * Copies the current context of `kubeconfig` (JSON text) with its cluster and user into the user's kubeconfig, as `name`. It
 * replaces entries of that name and makes the context current. Returns the absolute path of the file that gets new entries.
 */
export async function addContext(name: string, kubeconfig: string, location: KubeconfigLocation): Promise<string> {
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
  return resolve(location.cwd, defaultKubeconfigFile(sources));
}

/** Removes the context, cluster and user `name`, and unsets the current context if it was this one. */
export async function removeContext(name: string, location: KubeconfigLocation): Promise<void> {
  const sources = { ...location, explicitPath: "" };
  const start = await startingKubeconfig(sources);
  const wanted = structuredClone(start);
  const had = [wanted.contexts, wanted.clusters, wanted.users].map((entries) => entries.delete(name));
  if (!had.includes(true)) return;
  if (wanted.currentContext === name) wanted.currentContext = "";
  await modifyKubeconfig(sources, { start, wanted }, false);
}
