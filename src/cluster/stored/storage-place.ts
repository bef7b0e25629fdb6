import { existsSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import { errorMessage } from "../../base/text/error-message.js";
import { clustersFolder } from "../../client/config/named-cluster.js";
import { isStorageUrl, redactedUrl, schemeNameOf } from "../../component/storage-url.js";
import type { Kv } from "../../server/storage/kv.js";
import { schemeOf } from "../../server/storage/storage-schemes.js";
import { DATABASE } from "../../server/storage/sqlite/directory.js";
import { ClusterHome, type ClusterRecord } from "../named/cluster-home.js";
import { listNamedClusters, type Surroundings } from "../named/manage.js";
import { type EtcdConnection, openKv, type StorageOptions } from "../open-storage.js";
import { StoredError } from "./stored-error.js";

/** A storage that a command line names. */
export interface NamedStorage {
  /** How messages name it: without a password. */
  readonly name: string;
  readonly options: Pick<StorageOptions, "storage" | "dataDir" | "etcd">;
}

export interface StoragePlaceOptions extends Pick<Surroundings, "env" | "cwd"> {
  /** What the --etcd flags say; undefined without them. */
  readonly etcd: EtcdConnection | undefined;
}

/**
 * Parses the name of a storage: "etcd", "disk:FOLDER" or the data folder itself, "cluster:NAME" for the storage of a named
 * cluster, or a URL of a known scheme. Throws a {@link StoredError} for any other text.
 */
export async function readStoragePlace(text: string, around: StoragePlaceOptions): Promise<NamedStorage> {
  if (text === "etcd") {
    if (around.etcd === undefined) throw new StoredError("the storage etcd needs --etcd-servers");
    return etcdStorage(around.etcd);
  }
  if (text === "memory") throw new StoredError("the storage memory ends with its server: no other process can read it");
  if (text === "disk") throw new StoredError("the storage disk needs its folder: disk:FOLDER");
  if (isStorageUrl(text)) {
    const rest = text.slice(text.indexOf(":") + 1);
    if (schemeNameOf(text) === "disk") return diskStorage(resolve(around.cwd, rest));
    if (schemeNameOf(text) === "cluster") return clusterStorage(rest, around);
    const storage = schemeOf(text).absolute?.(text, around.cwd) ?? text;
    return { name: redactedUrl(storage), options: { storage } };
  }
  const folder = resolve(around.cwd, text);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return diskStorage(folder);
  throw new StoredError(
    `${JSON.stringify(text)} names no storage: use disk:FOLDER, etcd, cluster:NAME or a URL such as files:FOLDER or postgres://USER@HOST/DATABASE`,
  );
}

const diskStorage = (dataDir: string): NamedStorage => ({
  name: `disk:${dataDir}`,
  options: { storage: "disk", dataDir },
});

function etcdStorage(etcd: EtcdConnection): NamedStorage {
  const { servers, prefix = "/registry" } = etcd;
  return { name: `etcd ${servers.join(",")} ${prefix}`, options: { storage: "etcd", etcd } };
}

async function clusterStorage(name: string, { env, cwd }: Pick<Surroundings, "env" | "cwd">): Promise<NamedStorage> {
  const record = await new ClusterHome(clustersFolder(env, cwd), name).record();
  if (record === undefined) {
    throw new StoredError(`there is no cluster named "${name}"; list the clusters with: kubets cluster list`);
  }
  if (record.storage === "memory") throw new StoredError(`cluster "${name}" keeps its objects in memory`);
  return storageOfRecord(record);
}

/** The storage of a named cluster that is not in memory. */
export function storageOfRecord({ storage, dataDir, etcd }: ClusterRecord): NamedStorage {
  if (storage === "disk") return diskStorage(dataDir);
  if (storage === "etcd" && etcd !== undefined) return etcdStorage(etcd);
  return { name: isStorageUrl(storage) ? redactedUrl(storage) : storage, options: { storage } };
}

/** Throws a {@link StoredError} where a named cluster of this machine serves the storage. */
export async function requireUnserved(storage: NamedStorage, around: Surroundings): Promise<void> {
  for (const { name, state, record } of await listNamedClusters(around)) {
    if (record === undefined || state === "Stopped" || storageOfRecord(record).name !== storage.name) continue;
    throw new StoredError(`cluster "${name}" serves ${storage.name}; stop it first: kubets cluster stop ${name}`);
  }
}

export interface OpenOptions {
  /** The path of an EncryptionConfiguration, by which values are decrypted. */
  readonly encryption?: string | undefined;
  readonly clock: Clock;
  /** Ends the opening. */
  readonly signal?: AbortSignal | undefined;
  readonly warn: (text: string) => void;
}

/** No key expires while a storage is looked at: that would change it. */
const stopped: Timers = { start: () => () => {} };

/** Opens an existing storage, and leaves it unchanged until something is written. Throws where it is missing or in use. */
export async function openExisting(
  { options }: NamedStorage,
  { clock, encryption: file, ...around }: OpenOptions,
): Promise<Kv> {
  const { storage, dataDir = "" } = options;
  if (storage === "disk" && !existsSync(join(dataDir, DATABASE))) {
    throw new StoredError(`there is no database in data directory ${dataDir}`);
  }
  const kv = await open(options, true, clock, around);
  if (file === undefined) return kv;
  try {
    const { decryptingKv } = await import("../encryption/stored-encryption.js");
    const root = storage === "etcd" ? (options.etcd?.prefix ?? "/registry") : "/registry";
    return await decryptingKv(kv, root, { file, clock, timers: stopped, warn: around.warn });
  } catch (error) {
    await kv.close();
    throw new StoredError(errorMessage(error));
  }
}

/** Opens a storage, and creates it if it is missing. */
export const openOrMake = ({ options }: NamedStorage, { clock, ...around }: OpenOptions): Promise<Kv> =>
  open(options, false, clock, around);

async function open(
  options: NamedStorage["options"],
  mustExist: boolean,
  clock: Clock,
  { signal, warn: onWarning }: Omit<OpenOptions, "clock">,
): Promise<Kv> {
  return openKv({ ...options, mustExist, signal, onWarning }, clock, stopped);
}
