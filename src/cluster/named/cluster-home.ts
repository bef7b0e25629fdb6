import { rename, rm, writeFile, readdir } from "node:fs/promises";
import { isAbsolute, join, resolve } from "node:path";
import { makeOwnFolder } from "../../base/files/private-files.js";
import {
  type ClusterAddress,
  clusterFolders,
  contextOfCluster,
  isClusterName,
  readClusterRecord,
  recordFile,
} from "../../client/config/named-cluster.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { isStorageUrl, STORAGE_NAMES, type StorageUrl } from "../../component/storage-url.js";
import type { EtcdConnection } from "../open-storage.js";

/** A fault that the user can correct; the message is one line that says how. */
export class NamedClusterError extends Error {
  override readonly name = "NamedClusterError";
}

export const namedClusterError = (message: string): NamedClusterError => new NamedClusterError(message);

/** The storage of a cluster's objects. */
export type StorageChoice =
  | { readonly storage: "memory" | "disk" | StorageUrl; readonly etcd?: undefined }
  | { readonly storage: "etcd"; readonly etcd: EtcdConnection };

export type StorageKind = StorageChoice["storage"];

/** The record of a named cluster between runs, in `<home>/<name>/cluster.json`. */
export interface ClusterRecord extends ClusterAddress {
  readonly name: string;
  readonly storage: StorageKind;
  /** With storage "etcd". */
  readonly etcd?: EtcdConnection | undefined;
  /** Where certificates and, for disk storage, objects are. Absolute. */
  readonly dataDir: string;
  /** The port of the last start; the next one tries it again. */
  readonly port: number;
  /** The version of Kubernetes that the last start was: "1.37". Undefined in the records of earlier versions, which were 1.36. */
  readonly kubernetesVersion?: string;
  /** How many nodes the last start had; undefined in the records of earlier versions. */
  readonly nodes?: number;
  /**
   * The contexts that were current before the cluster's own became it, the latest first: deleting the cluster goes back to the first
   * that is still there. Undefined in the records of earlier versions.
   */
  readonly formerContexts?: readonly string[];
  /** RFC 3339. */
  readonly startedAt: string;
}

/** The files of one named cluster. Throws when the name cannot be a folder and a context name on every platform. */
export class ClusterHome {
  readonly folder: string;

  constructor(
    readonly clusters: string,
    readonly name: string,
  ) {
    if (!isClusterName(name)) {
      throw namedClusterError(
        `invalid cluster name "${name}": use lower-case letters, digits, "-" and ".", at most 63, beginning and ending with a letter or digit`,
      );
    }
    this.folder = join(clusters, name);
  }

  get context(): string {
    return contextOfCluster(this.name);
  }

  get kubeconfig(): string {
    return join(this.folder, "kubeconfig");
  }

  get log(): string {
    return join(this.folder, "server.log");
  }

  dataDir(given: string, cwd: string): string {
    if (given === "") return join(this.folder, "data");
    return isAbsolute(given) ? given : resolve(cwd, given);
  }

  /** undefined when there is no such cluster. Throws when its record cannot be read. */
  async record(): Promise<ClusterRecord | undefined> {
    const path = recordFile(this.clusters, this.name);
    const record = await readClusterRecord(path);
    if (record === undefined || isWhole(record)) return record;
    throw namedClusterError(`${path} is damaged; remove it with: kubets cluster delete ${this.name}`);
  }

  /** The whole file or the old one: a crash leaves nothing half-written. */
  async save(record: ClusterRecord): Promise<void> {
    await this.#write("cluster.json", `${JSON.stringify(record, undefined, 2)}\n`);
  }

  async saveKubeconfig(text: string): Promise<void> {
    await this.#write("kubeconfig", text);
  }

  make(): void {
    makeOwnFolder(this.folder);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }

  async #write(file: string, text: string): Promise<void> {
    this.make();
    const path = join(this.folder, file);
    const temporary = `${path}.${process.pid}.new`;
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, path);
  }
}

function isWhole(record: (JsonObject & ClusterAddress) | "damaged"): record is JsonObject & ClusterRecord {
  if (record === "damaged") return false;
  const { storage, dataDir, port, startedAt, formerContexts = [] } = record;
  const isText = (value: unknown): boolean => typeof value === "string";
  return (
    typeof storage === "string" &&
    (STORAGE_NAMES.some((name) => name === storage) || isStorageUrl(storage)) &&
    [dataDir, startedAt].every(isText) &&
    Number.isSafeInteger(port) &&
    Array.isArray(formerContexts) &&
    formerContexts.every(isText)
  );
}

/** Every cluster there is a folder for, by name. */
export const listClusters = async (clusters: string): Promise<readonly ClusterHome[]> =>
  (await clusterFolders(clusters)).map((name) => new ClusterHome(clusters, name));

/** Marks a folder as ours: only a folder that has it is ever removed. */
const MARKER = "kubets-data.json";

/**
 * Creates the folder, which no other user may enter, or takes over one that is empty or kubets' own, whose mode it keeps; resolves
 * with whether the folder was taken over now. Throws for a folder with any other content.
 */
export async function claimDataDir(folder: string): Promise<boolean> {
  try {
    makeOwnFolder(folder);
  } catch (error) {
    throw namedClusterError(`cannot make the data folder ${folder}: ${(error as Error).message}`);
  }
  const entries = await readdir(folder);
  if (entries.includes(MARKER)) return false;
  if (entries.length > 0) {
    throw namedClusterError(
      `the folder ${folder} is not empty and holds no kubets data; give a new or an empty one with --data-dir`,
    );
  }
  await writeFile(join(folder, MARKER), '{"format":1}\n', { mode: 0o600 });
  return true;
}

/** Removes the folder with its content, if it is kubets' own. */
export async function removeDataDir(folder: string): Promise<void> {
  const entries = await readdir(folder).catch(() => [] as string[]);
  if (entries.includes(MARKER)) await rm(folder, { recursive: true, force: true });
}
