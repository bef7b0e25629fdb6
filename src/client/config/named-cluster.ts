import { readdir, readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";

/*
 * Where the clusters are that `cluster start` keeps under names: a folder each, with a record in cluster.json. A command whose server
 * does not answer reads the record too, to tell which cluster that is.
 */

/** The fields of every cluster's record; the process that serves the cluster writes more. */
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

/** The cluster to which a context of this name belongs; undefined for a name that `cluster start` never creates. */
export function clusterOfContext(context: string): string | undefined {
  const name = context.startsWith(CONTEXT_PREFIX) ? context.slice(CONTEXT_PREFIX.length) : "";
  return isClusterName(name) ? name : undefined;
}

/** The names of the folders that may be clusters', in order; empty when `clusters` does not exist. */
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
 * Reads a cluster's record; undefined where the file does not exist, "damaged" where it is not an object with url and pid. Rejects
 * with Node's error for a file that cannot be read.
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

/** Whether a process with this id runs. The system may have reused the id for another process. */
export function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
