import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";

/*
 * Where the clusters are that `cluster start` keeps under names: a folder each, with a record in cluster.json. A command whose server
 * does not answer reads the record too, to tell which cluster that is.
 */

/** What every record says of the server; the process that serves the cluster writes more. */
export interface ClusterAddress {
  readonly url: string;
  /** The process that serves it, or served it last. */
  readonly pid: number;
}

/** The folder that holds a folder per named cluster: $KUBETS_HOME, else ~/.kubets, then `clusters`. */
export function clustersFolder(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const home = env["KUBETS_HOME"];
  if (home !== undefined && home !== "") return join(resolve(cwd, home), "clusters");
  return join(env["HOME"] ?? env["USERPROFILE"] ?? homedir(), ".kubets", "clusters");
}

/** A name that can be a folder and part of a context's name on every platform. */
export const isClusterName = (name: string): boolean => /^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/.test(name);

const CONTEXT_PREFIX = "kubets-";

/** The name of a cluster's context, and of the kubeconfig's cluster and user behind it. */
export const contextOfCluster = (name: string): string => CONTEXT_PREFIX + name;

/** The cluster whose context has this name; undefined for a name that `cluster start` gives to none. */
export function clusterOfContext(context: string): string | undefined {
  const name = context.startsWith(CONTEXT_PREFIX) ? context.slice(CONTEXT_PREFIX.length) : "";
  return isClusterName(name) ? name : undefined;
}

/** The names of the folders that may be clusters', in order; none where there is no such folder. */
export async function clusterFolders(clusters: string): Promise<readonly string[]> {
  try {
    return (await readdir(clusters)).filter(isClusterName).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}

export const recordFile = (clusters: string, name: string): string => join(clusters, name, "cluster.json");

/**
 * What a record says; undefined where there is none, "damaged" where it is no object with an address and a process. Rejects with
 * Node's error for a file that cannot be read.
 */
export async function readClusterRecord(path: string): Promise<(JsonObject & ClusterAddress) | "damaged" | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  let record: JsonValue;
  try {
    record = JSON.parse(text) as JsonValue;
  } catch {
    return "damaged";
  }
  return isJsonObject(record) && hasAddress(record) ? record : "damaged";
}

function hasAddress(record: JsonObject): record is JsonObject & ClusterAddress {
  const { url, pid } = record;
  return typeof url === "string" && URL.canParse(url) && Number.isSafeInteger(pid) && Number(pid) > 0;
}

/** Whether a process has this id now. It may be another one than the one that wrote the id down. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
