import { readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { PathError } from "../../base/files/path-error.js";
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from "../../client/config/kubeconfig.js";

/** Only what the context uses. @throws when there is no such context, or it names what is not there */
export function minified(config: Kubeconfig, context: string): Kubeconfig {
  const current = context === "" ? config.currentContext : context;
  if (current === "") throw new Error("current-context must exist in order to minify");
  const entry = config.contexts.get(current);
  if (entry === undefined) throw new Error(`cannot locate context ${current}`);
  return {
    ...config,
    currentContext: current,
    contexts: new Map([[current, entry]]),
    clusters: only(config.clusters, entry.cluster, "cluster"),
    users: only(config.users, entry.user, "user"),
  };
}

function only<T>(entries: ReadonlyMap<string, T>, name: string | undefined, what: string): Map<string, T> {
  if (name === undefined || name === "") return new Map();
  const entry = entries.get(name);
  if (entry === undefined) throw new Error(`cannot locate ${what} ${name}`);
  return new Map([[name, entry]]);
}

/** The files an entry names, read into it. @throws when one cannot be read, or stands beside its own contents */
export function flattened(config: Kubeconfig, cwd: string): Kubeconfig {
  return {
    ...config,
    users: map(config.users, (user) => {
      const copy = { ...user };
      flatten(copy, "client-certificate", cwd);
      flatten(copy, "client-key", cwd);
      return copy;
    }),
    clusters: map(config.clusters, (cluster) => {
      const copy = { ...cluster };
      flatten(copy, "certificate-authority", cwd);
      return copy;
    }),
  };
}

type Files = Partial<Record<string, unknown>> & Pick<KubeconfigCluster, "origin">;

function flatten(entry: Files, field: string, cwd: string): void {
  const path = entry[field];
  if (typeof path !== "string" || path === "") return;
  const data = entry[`${field}-data`];
  if (data instanceof Uint8Array && data.length > 0) throw new Error("cannot have values for both path and contents");
  const full = isAbsolute(path) ? path : join(resolve(cwd, dirname(entry.origin)), path);
  try {
    entry[`${field}-data`] = new Uint8Array(readFileSync(full));
  } catch (error) {
    throw new PathError("open", full, error);
  }
  delete entry[field];
}

/** What base64 shows as the words "DATA+OMITTED". */
const OMITTED = new Uint8Array(Buffer.from("DATA+OMITTED", "base64"));

const HIDDEN = "REDACTED";

/** Secrets and certificates replaced by words that say so. */
export function redacted(config: Kubeconfig): Kubeconfig {
  return {
    ...config,
    users: map(config.users, (user) => {
      const copy: KubeconfigUser = { ...user };
      for (const field of ["client-certificate-data", "client-key-data"] as const) {
        if (copy[field] !== undefined && copy[field].length > 0) copy[field] = OMITTED;
      }
      if (copy.token) copy.token = HIDDEN;
      if (copy.password) copy.password = HIDDEN;
      return copy;
    }),
    clusters: map(config.clusters, (cluster) => {
      const data = cluster["certificate-authority-data"];
      return data === undefined || data.length === 0 ? cluster : { ...cluster, "certificate-authority-data": OMITTED };
    }),
  };
}

function map<T>(entries: ReadonlyMap<string, T>, change: (entry: T) => T): Map<string, T> {
  return new Map([...entries].map(([name, entry]) => [name, change(entry)]));
}
