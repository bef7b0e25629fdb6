import { readFileSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import { UnreadableValue } from "../kv.js";
import type { KeptFile } from "./change-queue.js";
import { type FileStamp, OWN_FOLDER, stampNow, stampOf, TEMPORARY } from "./durable-files.js";
import { EXTENSION, type Layout, type ObjectPlace } from "./layout.js";
import { ObjectFileError, readObjectFile, valueOf } from "./object-file.js";
import { opaquePath, readOpaqueFile, VALUES } from "./opaque-file.js";
import type { WrittenFiles } from "./written-files.js";

/** A key as it was found at the start. */
export interface LoadedKey {
  readonly key: string;
  readonly value: Uint8Array;
  readonly file: KeptFile;
  /** Somebody else has written the file. */
  readonly isForeign: boolean;
}

interface Loading {
  readonly directory: string;
  readonly layout: Layout;
  readonly written: WrittenFiles;
  readonly warn: (warning: string) => void;
}

/** Reads all files of a folder. What cannot be read becomes a key with an {@link UnreadableValue}. */
export async function loadFolder(loading: Loading): Promise<readonly LoadedKey[]> {
  const { directory, layout, warn } = loading;
  const keys = new Map<string, LoadedKey>();
  const odd: string[] = [];
  const places: ObjectPlace[] = [];
  for (const name of await readdir(join(directory, OWN_FOLDER))) {
    if (name.startsWith(TEMPORARY)) await rm(join(directory, OWN_FOLDER, name), { force: true });
  }
  for (const path of await filesBelow(directory)) {
    const place = layout.placeOfPath(path);
    if (place === undefined) odd.push(path);
    else places.push(place);
  }
  for (const place of places) {
    const loaded = loadObject(loading, place);
    if (loaded !== undefined) keys.set(loaded.key, loaded);
    if (sliceIsSpent()) await nextSlice();
  }
  for (const path of odd) {
    const reason = oddText(layout, directory, path);
    warn(reason);
    // Its object may be missed by others, who must not take it for absent.
    const meant = layout.meantBy(path);
    if (meant === undefined || keys.has(meant.key)) continue;
    const value = new UnreadableValue(problemOf(join(directory, path), reason));
    keys.set(meant.key, { key: meant.key, value, file: { path: meant.path, stamp: undefined }, isForeign: true });
  }
  for (const loaded of await loadOpaque(loading)) {
    const object = keys.get(loaded.key);
    // A crash came between the write of one and the removal of the other: the newer one holds.
    if (object === undefined || newer(loaded, object)) keys.set(loaded.key, loaded);
  }
  return [...keys.values()];
}

/** Lists all files with the extension of objects below the folder, except files and folders whose names begin with a dot. */
export async function filesBelow(directory: string, below = ""): Promise<readonly string[]> {
  const found: string[] = [];
  const walk = async (folder: string): Promise<void> => {
    const folders: string[] = [];
    for (const entry of await readdir(join(directory, folder), { withFileTypes: true })) {
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.name.endsWith(EXTENSION)) found.push(path);
    }
    for (const inner of folders) await walk(inner);
  };
  await walk(below);
  return found;
}

/** One file after the other: handing so much small work to other threads takes longer than the work. */
function loadObject(loading: Loading, place: ObjectPlace): LoadedKey | undefined {
  const { directory, written, warn } = loading;
  const { key, path } = place;
  const stamp = stampNow(join(directory, path));
  if (stamp === undefined) return undefined;
  try {
    if (!stamp.isFile) throw new ObjectFileError("it is not a regular file");
    const content = readFileSync(join(directory, path));
    const { object, expiresAt } = readObjectFile(place, content);
    const isForeign = !written.has(path, content);
    return {
      key,
      value: isForeign ? foreignValue(object) : valueOf(object),
      file: { path, stamp, expiresAt },
      isForeign,
    };
  } catch (error) {
    const problem = problemOf(join(directory, path), errorMessage(error));
    warn(problem);
    return { key, value: new UnreadableValue(problem), file: { path, stamp }, isForeign: true };
  }
}

/** The error about a file that cannot be served, for the operator and for clients. */
export const problemOf = (path: string, reason: string): string => `failed walking filepath ${path}: ${reason}`;

/**
 * The bytes of an object that another program wrote: with a line break at the end, by which the store above knows that it must set
 * defaults and convert the object.
 */
export const foreignValue = (object: Parameters<typeof valueOf>[0]): Uint8Array =>
  Buffer.concat([valueOf(object), Buffer.from("\n")]);

/** The error about a file that is not at the path of an object. */
export function oddText(layout: Layout, directory: string, path: string): string {
  const place = layout.meantBy(path);
  const reason =
    place === undefined
      ? "objects are in <group>/<resource>/<namespace>/<name>.yaml, and those of the cluster in <group>/<resource>/<name>.yaml"
      : `the file of this object is ${join(directory, place.path)}`;
  return `file ${join(directory, path)} is not served: ${reason}`;
}

async function loadOpaque({ directory, warn }: Loading): Promise<readonly LoadedKey[]> {
  const folder = join(directory, VALUES);
  const loaded: LoadedKey[] = [];
  for (const name of await readdir(folder)) {
    const path = `${VALUES}/${name}`;
    const stamp: FileStamp | undefined = await stampOf(join(directory, path));
    const found = readOpaqueFile(await readFile(join(directory, path)));
    if (found === undefined || opaquePath(found.key) !== path) {
      warn(`file ${join(directory, path)} is not served: another program has written it`);
      continue;
    }
    const { key, value, expiresAt } = found;
    loaded.push({ key, value, file: { path, stamp, expiresAt }, isForeign: false });
  }
  return loaded;
}

const newer = (a: LoadedKey, b: LoadedKey): boolean =>
  (a.file.stamp?.modifiedNs ?? 0n) > (b.file.stamp?.modifiedNs ?? 0n);
