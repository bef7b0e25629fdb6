import { resolve } from "node:path";
import type { Clock } from "../../base/time/clock.js";
import type { Timers } from "../../base/time/timers.js";
import { isStorageUrl, schemeNameOf, STORAGE_NAMES, type StorageUrl } from "../../component/storage-url.js";
import type { ResourcePlace } from "./files/layout.js";
import type { Kv } from "./kv.js";

/** A storage cannot be opened. The message says what is wrong, where, and what to do. */
export class StorageError extends Error {
  override readonly name = "StorageError";
}

export interface StorageSurroundings {
  /** Expires keys. */
  readonly clock: Clock;
  readonly timers: Timers;
  /** Ends the opening when it aborts. */
  readonly signal?: AbortSignal | undefined;
  /** Receives what the store goes on in spite of, in one line each. */
  readonly warn: (text: string) => void;
  /** The store is only looked at: the opening rejects with a {@link StorageError} where there is none, and makes nothing. Default false. */
  readonly mustExist?: boolean;
  /** What the keys of built-in resources do not tell of them. */
  readonly places?: () => readonly ResourcePlace[];
}

/** The storages of one scheme. */
export interface StorageScheme {
  /** Opens the store that the URL names, and makes it where it is missing. Rejects with a {@link StorageError} where it cannot. */
  open(url: StorageUrl, surroundings: StorageSurroundings): Promise<Kv>;
  /** Whether servers in several processes may have the store open at the same time. Default false. */
  readonly isShared?: boolean;
  /** Whether something else than a server of kubets may write objects, of other versions too. Default false. */
  readonly hasOtherWriters?: boolean;
  /** Makes a URL mean the same in every working directory. Default: it does already. */
  absolute?(url: StorageUrl, cwd: string): StorageUrl;
}

const NAMES: readonly string[] = STORAGE_NAMES;

/** YAML files in a folder, which people and other programs edit. */
const files: StorageScheme = {
  hasOtherWriters: true,
  open: async (...given) => (await import("./files/files-kv.js")).openFilesUrl(...given),
  absolute(url, cwd) {
    const folder = folderOf(url);
    return folder === undefined ? url : `files:${resolve(cwd, folder)}`;
  },
};

/** The folder of "files:./data", "files:/data" or "files:///data"; undefined for a URL without one, and for one of another host. */
export function folderOf(url: StorageUrl): string | undefined {
  const rest = url.slice(url.indexOf(":") + 1);
  const folder = rest.startsWith("///") ? rest.slice(2) : rest;
  return folder === "" || folder.startsWith("//") ? undefined : folder;
}

const postgres: StorageScheme = {
  isShared: true,
  open: async (...given) => (await import("./postgres/postgres-kv.js")).openPostgresKv(...given),
};

const schemes = new Map<string, StorageScheme>([
  ["files", files],
  ["postgres", postgres],
  ["postgresql", postgres],
]);

/**
 * Makes `--storage=mine:...` and the option `storage` open a storage of the caller's own, in this process. Throws for a scheme that cannot be
 * one, and for one that is taken.
 */
export function registerStorage(scheme: string, storage: StorageScheme): void {
  const quoted = JSON.stringify(scheme);
  const url: string = `${scheme}:`;
  if (!isStorageUrl(url) || schemeNameOf(url) !== scheme) {
    throw new Error(`invalid scheme ${quoted}: use two or more of a to z, 0 to 9, "+", "-" and ".", a letter first`);
  }
  if (schemes.has(scheme) || NAMES.includes(scheme)) throw new Error(`the storage scheme ${quoted} is taken`);
  schemes.set(scheme, storage);
}

/** Finds the registered scheme of a URL. Throws a StorageError, in kube-apiserver's words and with the known schemes, for an unknown one. */
export function schemeOf(url: StorageUrl): StorageScheme {
  const name = schemeNameOf(url);
  const found = schemes.get(name);
  if (found !== undefined) return found;
  const known = [...NAMES, ...[...schemes.keys()].map((scheme) => `${scheme}:...`)].join(", ");
  throw new StorageError(`unknown storage type: ${name}; use one of ${known}`);
}
