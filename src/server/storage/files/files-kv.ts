import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import type { StorageUrl } from "../../../component/storage-url.js";
import { makeOwnFolder } from "../../../base/files/private-files.js";
import { type Clock, systemClock } from "../../../base/time/clock.js";
import { systemTimers, type Timers } from "../../../base/time/timers.js";
import { Expiry, type Expiring } from "../expiry.js";
import {
  type ApplyOutsideEdit,
  ClosedError,
  type KeyValue,
  type Kv,
  type ListOptions,
  type ListResult,
  UnavailableError,
  type WatchBatch,
} from "../kv.js";
import { RevisionedMap } from "../revisioned-map.js";
import { folderOf, StorageError, type StorageSurroundings } from "../storage-schemes.js";
import { type Change, type Changed, ChangeQueue, type KeptFile } from "./change-queue.js";
import { DurableFiles, OWN_FOLDER } from "./durable-files.js";
import { Edits } from "./edits.js";
import { Layout, type ResourcePlace } from "./layout.js";
import { type LoadedKey, loadFolder } from "./load-folder.js";
import { VALUES } from "./opaque-file.js";
import { OutsideChanges } from "./outside-changes.js";
import { type ProcessLock, takeProcessLock } from "./process-lock.js";
import { RevisionMark } from "./revision-mark.js";
import { WrittenFiles } from "./written-files.js";

export interface FilesKvOptions {
  /** Made when it is missing. Only one store at a time can open it. */
  readonly directory: string;
  /** The resources whose keys do not tell their group, or whether they have namespaces. Of all others the keys tell it. */
  readonly places?: readonly ResourcePlace[];
  /** Expires keys. */
  readonly clock?: Clock;
  readonly timers?: Timers;
  /** Receives a sentence for each file that is not served as it is. */
  readonly onWarning?: (warning: string) => void;
  /** Events kept for watchers and old revisions. Older ones are compacted. Default 20,000. */
  readonly historyEvents?: number;
  /** The same limit in bytes of their values. Default 64 MiB. */
  readonly historyBytes?: number;
}

/** Opens the store of "files:./data", "files:/data" or "files:///data". */
export async function openFilesUrl(url: StorageUrl, surroundings: StorageSurroundings): Promise<Kv> {
  const { clock, timers, warn, places, mustExist = false } = surroundings;
  const directory = folderOf(url);
  if (directory === undefined) {
    throw new StorageError(`${url} names no folder: write files:./data or files:///var/data`);
  }
  if (mustExist && !existsSync(directory)) throw new StorageError(`there is no folder ${directory}`);
  try {
    return await openFilesKv({ directory, clock, timers, onWarning: warn, places: places?.() ?? [] });
  } catch (error) {
    throw new StorageError(errorMessage(error));
  }
}

/**
 * Opens the store in a folder: a YAML file for each object, which people and other programs may edit. Throws FolderInUseError when
 * another process has it open, and an error that names the folder when it cannot be used.
 */
export async function openFilesKv(options: FilesKvOptions): Promise<Kv> {
  const directory = resolve(options.directory);
  const own = join(directory, OWN_FOLDER);
  try {
    makeOwnFolder(join(directory, VALUES));
    chmodSync(own, 0o700);
  } catch (error) {
    throw new Error(`unable to write data dir: ${errorMessage(error)}`);
  }
  const lock = takeProcessLock(join(own, "lock"), directory);
  try {
    const ignore = join(own, ".gitignore");
    if (!existsSync(ignore)) writeFileSync(ignore, "*\n", { mode: 0o600 });
    const { clock = systemClock, timers = systemTimers, onWarning: warn = () => {}, places = [] } = options;
    const files = new DurableFiles(directory);
    const layout = new Layout(places);
    const written = new WrittenFiles(join(own, "written"));
    const loaded = await loadFolder({ directory, layout, written, warn });
    await written.rewrite(
      files,
      loaded.filter(({ isForeign }) => !isForeign).map(({ file }) => file.path),
    );
    const mark = new RevisionMark(join(own, "revision"), files);
    const revision = firstRevision(await mark.read(), loaded, clock);
    await mark.reserve(revision);
    const parts = { directory, layout, files, written, lock, mark, clock, timers, warn };
    return new FilesKv(parts, loaded, revision, options);
  } catch (error) {
    lock.release();
    throw error;
  }
}

/** Above every revision that was given. Where the mark is lost, time has passed faster than revisions were given. */
function firstRevision(mark: number | undefined, loaded: readonly LoadedKey[], clock: Clock): number {
  if (mark !== undefined) return mark + 1;
  return loaded.length === 0 ? 1 : Math.max(1, Math.floor(clock.now()));
}

interface FilesKvParts {
  readonly directory: string;
  readonly layout: Layout;
  readonly files: DurableFiles;
  readonly written: WrittenFiles;
  readonly lock: ProcessLock;
  readonly mark: RevisionMark;
  readonly clock: Clock;
  readonly timers: Timers;
  readonly warn: (warning: string) => void;
}

/** The delay before an expired key whose removal failed is removed again. */
const EXPIRE_AGAIN_MILLISECONDS = 10_000;

/** All keys in memory, and each of them in a file. */
class FilesKv implements Kv {
  readonly freshness = "every-revision";
  readonly #map: RevisionedMap;
  readonly #kept = new Map<string, KeptFile>();
  readonly #queue: ChangeQueue;
  readonly #edits: Edits;
  readonly #outside: OutsideChanges;
  readonly #expiry: Expiry;
  /** Keys whose files somebody has changed while nobody served them. */
  #foreign: readonly string[];
  #closing: Promise<void> | undefined;

  constructor(
    private readonly parts: FilesKvParts,
    loaded: readonly LoadedKey[],
    revision: number,
    { historyEvents = 20_000, historyBytes = 64 * 2 ** 20 }: FilesKvOptions,
  ) {
    const { directory, layout, clock, timers, lock } = parts;
    const entries = loaded.map(({ key, value }) => ({ key, value, createRevision: revision, revision }));
    this.#map = new RevisionedMap({ clock, revision, entries, limits: { events: historyEvents, bytes: historyBytes } });
    const [map, kept] = [this.#map, this.#kept];
    this.#queue = new ChangeQueue({
      ...parts,
      map,
      kept,
      suspect: (path) => this.#outside.suspect(path),
      unsettled: (path, value) => {
        this.#edits.unsettled(path, value);
        this.#outside.suspect(path);
      },
      faultAt: (path) => this.#edits.faultAt(path),
    });
    const expires = (key: string, at: number, written: number): void =>
      this.#expiry.add({ key, at, revision: written });
    this.#edits = new Edits({
      directory,
      layout,
      map,
      kept,
      queue: this.#queue,
      warn: (warning) => {
        // An edit that the end of the server breaks off is found by the next start.
        if (this.#closing === undefined) parts.warn(warning);
      },
      expires: (key, written, at) => expires(key, at, written),
    });
    this.#outside = new OutsideChanges({
      directory,
      timers,
      paths: () => [...kept.values()].map(({ path }) => path).filter((path) => !path.startsWith(OWN_FOLDER)),
      known: (path) => this.#edits.known(path),
      changed: (path) => this.#edits.takeOver(path),
      isThere: () => lock.isHeld(),
    });
    this.#expiry = new Expiry(clock, timers, (entry) => void this.#expire(entry));
    for (const { key, file } of loaded) {
      kept.set(key, file);
      if (file.expiresAt !== undefined) expires(key, file.expiresAt, revision);
    }
    this.#foreign = loaded.filter(({ isForeign }) => isForeign).map(({ key }) => key);
    this.#outside.start();
  }

  async create(key: string, value: Uint8Array, options: { ttlSeconds?: number } = {}): Promise<{ revision: number }> {
    return this.#put({ type: "create", key, value }, options.ttlSeconds);
  }

  async get(key: string): Promise<{ kv: KeyValue | undefined; revision: number }> {
    this.#assertOpen();
    return { kv: this.#map.get(key), revision: this.#map.revision };
  }

  async list(prefix: string, options: ListOptions = {}): Promise<ListResult> {
    this.#assertOpen();
    return this.#map.list(prefix, options);
  }

  async update(
    key: string,
    value: Uint8Array,
    expectedRevision: number,
    options: { ttlSeconds?: number } = {},
  ): Promise<{ revision: number }> {
    return this.#put({ type: "update", key, value, expected: expectedRevision }, options.ttlSeconds);
  }

  async delete(key: string, expectedRevision: number): Promise<{ revision: number; previous: KeyValue }> {
    const edit = this.#edits.editOf(key);
    const { revision, previous } = await this.#change({ type: "delete", key, expected: expectedRevision, edit });
    if (previous === undefined) throw new UnavailableError(`nobody knows what ${key} was`, "unknown");
    return { revision, previous };
  }

  async *watch(prefix: string, fromRevision: number, { signal }: { signal: AbortSignal }): AsyncGenerator<WatchBatch> {
    this.#assertOpen();
    yield* this.#map.watch(prefix, fromRevision, signal);
  }

  async compact(revision: number): Promise<void> {
    this.#assertOpen();
    this.#map.compact(revision);
  }

  async count(prefix: string): Promise<number> {
    this.#assertOpen();
    return this.#map.count(prefix);
  }

  async expiring(): Promise<readonly Expiring[]> {
    this.#assertOpen();
    return [...this.#kept].flatMap(([key, { expiresAt: at }]) =>
      at === undefined ? [] : [{ key, at, revision: this.#map.get(key)?.revision ?? 0 }],
    );
  }

  async currentRevision(): Promise<number> {
    this.#assertOpen();
    return this.#map.revision;
  }

  async check(): Promise<void> {
    this.#assertOpen();
    const { lock, directory, files } = this.parts;
    if (!lock.isHeld()) throw new UnavailableError(`folder ${directory} was removed or replaced`, "not-done");
    await files.check();
  }

  /** From now on edits of files go through `apply`, those that were made while nobody served the folder first. */
  async outsideEdits(apply: ApplyOutsideEdit): Promise<void> {
    this.#assertOpen();
    const foreign = this.#foreign;
    this.#foreign = [];
    await this.#edits.attach(apply, foreign);
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish();
    return this.#closing;
  }

  async #finish(): Promise<void> {
    const { lock, mark, written } = this.parts;
    this.#expiry.stop();
    await this.#outside.stop();
    await this.#queue.idle();
    try {
      // The next start need not leave a gap.
      if (lock.isHeld()) await mark.write(this.#map.revision);
    } catch {
      // The disk is full. The mark is above the last revision.
    }
    written.flush();
    this.#map.close();
    lock.release();
  }

  #assertOpen(): void {
    if (this.#closing !== undefined) throw new ClosedError();
  }

  async #change(change: Change): Promise<Changed> {
    this.#assertOpen();
    return this.#queue.run(change);
  }

  async #put(
    put:
      | { readonly type: "create"; key: string; value: Uint8Array }
      | { readonly type: "update"; key: string; value: Uint8Array; expected: number },
    ttlSeconds: number | undefined,
  ): Promise<{ revision: number }> {
    const { key } = put;
    const expiresAt =
      ttlSeconds === undefined || ttlSeconds <= 0 ? undefined : this.parts.clock.now() + ttlSeconds * 1000;
    const { revision } = await this.#change({ ...put, expiresAt, edit: this.#edits.editOf(key) });
    if (expiresAt !== undefined) this.#expiry.add({ key, revision, at: expiresAt });
    return { revision };
  }

  async #expire(entry: Expiring): Promise<void> {
    if (this.#map.get(entry.key)?.revision !== entry.revision) return;
    try {
      await this.#change({ type: "delete", key: entry.key, expected: entry.revision });
    } catch {
      if (this.#closing === undefined) {
        this.#expiry.add({ ...entry, at: this.parts.clock.now() + EXPIRE_AGAIN_MILLISECONDS });
      }
    }
  }
}
