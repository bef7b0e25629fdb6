import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { isAbsolute, join, resolve } from "node:path";
import { makeOwnFolder } from "../../base/private-files.js";
import type { EtcdConnection } from "../open-storage.js";
import { namedClusterError } from "./named-cluster-error.js";

/** Where a cluster keeps its objects. */
export type StorageChoice =
  | { readonly storage: "memory" | "disk"; readonly etcd?: undefined }
  | { readonly storage: "etcd"; readonly etcd: EtcdConnection };

export type StorageKind = StorageChoice["storage"];

/** What is kept of a named cluster between runs, in `<home>/<name>/cluster.json`. */
export interface ClusterRecord {
  readonly name: string;
  readonly storage: StorageKind;
  /** With storage "etcd". */
  readonly etcd?: EtcdConnection | undefined;
  /** Where certificates and, for disk storage, objects are. Absolute. */
  readonly dataDir: string;
  /** The port of the last start; the next one tries it again. */
  readonly port: number;
  readonly url: string;
  /** How many nodes the last start had; undefined in the records of earlier versions. */
  readonly nodes?: number;
  /** The process that serves it, or served it last. */
  readonly pid: number;
  /** RFC 3339. */
  readonly startedAt: string;
}

/** The folder that holds a folder per named cluster: $KUBETS_HOME, else ~/.kubets, then `clusters`. */
export function clustersFolder(env: Readonly<Record<string, string | undefined>>, cwd: string): string {
  const home = env.KUBETS_HOME;
  if (home !== undefined && home !== "") return join(resolve(cwd, home), "clusters");
  return join(env.HOME ?? env.USERPROFILE ?? homedir(), ".kubets", "clusters");
}

/** The files of one named cluster. Throws when the name cannot be a folder and a context name on every platform. */
export class ClusterHome {
  readonly folder: string;

  constructor(
    readonly clusters: string,
    readonly name: string,
  ) {
    if (!/^[a-z0-9]([-a-z0-9.]{0,61}[a-z0-9])?$/.test(name)) {
      throw namedClusterError(
        `invalid cluster name "${name}": use lower-case letters, digits, "-" and ".", at most 63, beginning and ending with a letter or digit`,
      );
    }
    this.folder = join(clusters, name);
  }

  get context(): string {
    return `kubets-${this.name}`;
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
    const path = join(this.folder, "cluster.json");
    let text: string;
    try {
      text = await readFile(path, "utf8");
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw error;
    }
    try {
      return JSON.parse(text) as ClusterRecord;
    } catch {
      throw namedClusterError(`${path} is damaged; remove it with: kubets cluster delete ${this.name}`);
    }
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

/** Every cluster there is a folder for, by name. */
export async function listClusters(clusters: string): Promise<readonly ClusterHome[]> {
  let names: string[];
  try {
    names = await readdir(clusters);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
  return names.sort().flatMap((name) => {
    try {
      return [new ClusterHome(clusters, name)];
    } catch {
      // Not ours: something else lies in the folder.
      return [];
    }
  });
}
