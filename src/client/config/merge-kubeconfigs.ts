import { dirname, isAbsolute, join, resolve, sep } from "node:path";
import { emptyKubeconfig, type Kubeconfig } from "./kubeconfig.js";

/**
 * Merges decoded kubeconfigs. For each cluster, user and context the first file that defines it wins; the first current context that is set
 * wins. With `cwd` relative paths become absolute.
 */
export function mergeKubeconfigs(configs: readonly Kubeconfig[], cwd: string | undefined): Kubeconfig {
  const merged = emptyKubeconfig();
  for (const config of configs) merge(merged, config);
  if (cwd !== undefined) resolveLocalPaths(merged, cwd);
  return merged;
}

function merge(into: Kubeconfig, from: Kubeconfig): void {
  keepFirst(into.clusters, from.clusters);
  keepFirst(into.users, from.users);
  keepFirst(into.contexts, from.contexts);
  keepFirst(into.extensions, from.extensions);
  if (into.currentContext === "") into.currentContext = from.currentContext;
  into.preferences = { ...from.preferences, ...into.preferences };
}

function keepFirst<T>(into: Map<string, T>, from: Map<string, T>): void {
  for (const [name, entry] of from) {
    if (!into.has(name)) into.set(name, entry);
  }
}

const USER_PATHS = ["client-certificate", "client-key", "tokenFile"] as const;

/** Makes the paths of all entries absolute, resolved against the folder of the file that each entry came from. */
function resolveLocalPaths(config: Kubeconfig, cwd: string): void {
  for (const cluster of config.clusters.values()) {
    const authority = absolute(cluster["certificate-authority"], cluster.origin, cwd);
    if (authority !== undefined) cluster["certificate-authority"] = authority;
  }
  for (const user of config.users.values()) {
    for (const key of USER_PATHS) {
      const path = absolute(user[key], user.origin, cwd);
      if (path !== undefined) user[key] = path;
    }
    // A bare command is looked up on PATH. One with a separator is a path.
    if (user.exec?.command.includes(sep)) {
      user.exec.command = absolute(user.exec.command, user.origin, cwd) ?? user.exec.command;
    }
  }
}

function absolute(path: string | undefined, origin: string, cwd: string): string | undefined {
  if (path === undefined || path === "" || origin === "" || isAbsolute(path)) return path;
  return join(dirname(resolve(cwd, origin)), path);
}
