import { dirname, join } from "node:path";
import { readFile } from "node:fs/promises";
import { type Deferred, deferred } from "../../../base/async/deferred.js";
import { outside, soon } from "../../../base/async/turns.js";
import { errorMessage } from "../../../base/text/error-message.js";
import { KeyExistsError, type KeyValue, UnavailableError, unreadable, UnreadableValue } from "../kv.js";
import type { RevisionedMap } from "../revisioned-map.js";
import { ChangedFileError, type DurableFiles, type FileStamp, sameStamp, stampOf } from "./durable-files.js";
import { writeObjectFile } from "./object-file.js";
import { opaquePath, writeOpaqueFile } from "./opaque-file.js";
import type { Layout } from "./layout.js";
import type { ProcessLock } from "./process-lock.js";
import type { RevisionMark } from "./revision-mark.js";
import type { WrittenFiles } from "./written-files.js";

/** The file of a key, in the state in which the store wrote or accepted it. */
export interface KeptFile {
  readonly path: string;
  /** Undefined for one that is missing, whose object is served nevertheless. */
  readonly stamp: FileStamp | undefined;
  /** When the key expires, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** A file that another program has changed, while the server applies that change as a request: this request's write may replace the file. */
export interface EditUnderWay extends KeptFile {
  readonly key: string;
}

interface Put {
  readonly key: string;
  readonly value: Uint8Array;
  readonly expiresAt?: number | undefined;
  readonly edit?: EditUnderWay | undefined;
}

/** A change of one key, or a check of its file; the changes of a key run one after the other. */
export type Change =
  | (Put & { readonly type: "create" })
  | (Put & { readonly type: "update"; readonly expected: number })
  | {
      readonly type: "delete";
      readonly key: string;
      readonly expected: number;
      readonly edit?: EditUnderWay | undefined;
    }
  /** The file is served as it is. */
  | (Put & { readonly type: "take"; readonly file: KeptFile })
  /** The file is gone, and the key with it. */
  | { readonly type: "drop"; readonly key: string; readonly path: string }
  /** The key goes, and the file stays: what it says is about to be written as something new. */
  | { readonly type: "withdraw"; readonly key: string }
  /** The file is as it should be: it says what is served, in other words. */
  | { readonly type: "adopt"; readonly key: string; readonly file: KeptFile }
  /** The file is gone, and what is served is written again. */
  | { readonly type: "restore"; readonly key: string }
  /** Reads the file, if it is not as it was left. */
  | { readonly type: "look"; readonly key: string; readonly path: string };

export interface Changed {
  readonly revision: number;
  readonly previous?: KeyValue | undefined;
  /** What "look" has found. */
  readonly found?: Found;
}

export type Found =
  | { readonly kind: "same" }
  | { readonly kind: "missing" }
  | { readonly kind: "file"; readonly stamp: FileStamp; readonly bytes: Uint8Array }
  | { readonly kind: "odd"; readonly stamp: FileStamp; readonly reason: string };

interface Pending {
  readonly change: Change;
  readonly done: Deferred<Changed>;
}

/** What a change has done to the disk, and will do to the memory once the folders are durable. */
interface Performed {
  readonly folders: readonly string[];
  publish(): Changed;
  /** The names in its folders may not be durable. */
  unsettled?(): void;
}

/** Changes that are made at a time. */
const BATCH = 500;

export interface ChangeQueueParts {
  readonly directory: string;
  readonly layout: Layout;
  readonly map: RevisionedMap;
  readonly kept: Map<string, KeptFile>;
  readonly files: DurableFiles;
  readonly lock: ProcessLock;
  readonly mark: RevisionMark;
  readonly written: WrittenFiles;
  /** A file is not as it was left. */
  readonly suspect: (path: string) => void;
  /** A write whose outcome is unknown left this at a path; undefined for a removal. */
  readonly unsettled: (path: string, value: Uint8Array | undefined) => void;
  /** Why the file at a path is not served, where that is known. */
  readonly faultAt: (path: string) => string | undefined;
}

/**
 * Makes changes, those of a batch side by side and two of one key one after the other: first on the disk, then in memory, at last for who
 * asked for them.
 */
export class ChangeQueue {
  #waiting: Pending[] = [];
  #running: Promise<void> | undefined;

  constructor(private readonly parts: ChangeQueueParts) {}

  run(change: Change): Promise<Changed> {
    const done = deferred<Changed>();
    this.#waiting.push({ change, done });
    // The changes of one turn of the event loop are made together.
    this.#running ??= new Promise((resolve) => soon(() => resolve(outside(this.#drain()))));
    return done.promise;
  }

  /** Resolves when nothing is waiting. */
  async idle(): Promise<void> {
    while (this.#running !== undefined) await this.#running;
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) await this.#runBatch(this.#takeBatch());
    this.#running = undefined;
  }

  /** The oldest changes, at most one of each key. */
  #takeBatch(): readonly Pending[] {
    const batch = new Map<string, Pending>();
    const later: Pending[] = [];
    for (const pending of this.#waiting) {
      if (batch.size < BATCH && !batch.has(pending.change.key)) batch.set(pending.change.key, pending);
      else later.push(pending);
    }
    this.#waiting = later;
    return [...batch.values()];
  }

  async #runBatch(batch: readonly Pending[]): Promise<void> {
    const { lock, mark, map, directory } = this.parts;
    try {
      if (!lock.isHeld()) throw new UnavailableError(goneText(directory), "not-done");
      await mark.reserve(map.revision + batch.length);
    } catch (error) {
      const reason = new UnavailableError(errorMessage(error), "not-done");
      for (const { done } of batch) done.reject(reason);
      return;
    }
    const performed = await Promise.all(batch.map((pending) => this.#tryPerform(pending)));
    const settled = await this.#settle(new Set(performed.flatMap((one) => one?.folders ?? [])));
    for (const [index, { done }] of batch.entries()) {
      const one = performed[index];
      if (one === undefined) continue;
      const failed = one.folders.map((folder) => settled.get(folder)).find((error) => error !== undefined);
      if (failed === undefined) {
        done.resolve(one.publish());
      } else {
        one.unsettled?.();
        done.reject(failed);
      }
    }
    this.parts.written.flush();
  }

  async #settle(folders: ReadonlySet<string>): Promise<ReadonlyMap<string, Error | undefined>> {
    const settle = async (folder: string): Promise<[string, Error | undefined]> => {
      try {
        await this.parts.files.settle(folder);
        return [folder, undefined];
      } catch (error) {
        return [folder, asError(error)];
      }
    };
    return new Map(await Promise.all([...folders].map(settle)));
  }

  async #tryPerform({ change, done }: Pending): Promise<Performed | undefined> {
    try {
      return await this.#perform(change);
    } catch (error) {
      done.reject(asError(error));
      return undefined;
    }
  }

  #perform(change: Change): Promise<Performed> {
    const { map } = this.parts;
    switch (change.type) {
      case "create": {
        const current = map.get(change.key);
        if (current?.value instanceof UnreadableValue) {
          if (change.edit === undefined) throw unreadable(current.value);
        } else if (current !== undefined) throw new KeyExistsError(change.key);
        return this.#put(change);
      }
      case "update":
        readable(map.expect(change.key, change.expected));
        return this.#put(change);
      case "delete":
        return this.#delete(change, readable(map.expect(change.key, change.expected)));
      case "take":
        return this.#take(change);
      case "drop":
        return this.#drop(change);
      case "withdraw":
        return this.#gone(change.key);
      case "adopt":
        return this.#adopt(change);
      case "restore":
        return this.#restore(change.key);
      case "look":
        return this.#look(change);
    }
  }

  async #put(change: Put): Promise<Performed> {
    const { map } = this.parts;
    const { key, value } = change;
    const file = await this.#write(change);
    return {
      folders: [this.#folderOf(file.path)],
      publish: () => {
        this.#keep(key, file);
        return { revision: map.put(key, value) };
      },
      unsettled: () => this.parts.unsettled(file.path, value),
    };
  }

  /** Writes the file of a value, in place of the one that the key has. */
  async #write({ key, value, expiresAt, edit }: Put): Promise<KeptFile> {
    const { layout, files, kept, written } = this.parts;
    const place = layout.placeOfKey(key);
    const text = place && writeObjectFile(place, value, expiresAt);
    const path = place !== undefined && text !== undefined ? place.path : opaquePath(key);
    const content = text === undefined ? writeOpaqueFile({ key, value, expiresAt }) : Buffer.from(text);
    const former = kept.get(key);
    const known = edit?.path === path ? edit.stamp : former?.path === path ? former.stamp : undefined;
    const stamp = await this.#unchanged(path, () => files.replace(this.#at(path), content, known));
    if (place !== undefined && text !== undefined) written.note(path, content);
    if (former !== undefined && former.path !== path) {
      await this.#unchanged(former.path, () => files.remove(this.#at(former.path), former.stamp));
      await files.settle(this.#folderOf(former.path));
    }
    return { path, stamp, expiresAt };
  }

  async #delete(
    { key, edit }: { key: string; edit?: EditUnderWay | undefined },
    previous: KeyValue,
  ): Promise<Performed> {
    const { files, kept, map } = this.parts;
    const file = kept.get(key);
    if (file === undefined) throw new UnavailableError(`the file of ${key} is not known`, "not-done");
    const known = edit?.path === file.path ? edit.stamp : file.stamp;
    await this.#unchanged(file.path, () => files.remove(this.#at(file.path), known));
    return {
      folders: [this.#folderOf(file.path)],
      publish: () => {
        kept.delete(key);
        return { revision: map.remove(key), previous };
      },
      unsettled: () => this.parts.unsettled(file.path, undefined),
    };
  }

  async #take({ key, value, file }: Put & { readonly file: KeptFile }): Promise<Performed> {
    const { map, files, written } = this.parts;
    await this.#asFound(file);
    // A value that cannot be read is served as that, whatever it is.
    if (!(value instanceof UnreadableValue)) {
      await files.flush(this.#at(file.path));
      written.note(file.path, await readFile(this.#at(file.path)));
    }
    return {
      folders: [this.#folderOf(file.path)],
      publish: () => {
        this.#keep(key, file);
        return { revision: map.put(key, value) };
      },
    };
  }

  async #drop({ key, path }: { key: string; path: string }): Promise<Performed> {
    await this.#asFound({ path, stamp: undefined });
    const folder = this.#folderOf(path);
    // The folder may be gone as well; that of the folder above is then what must last.
    const isThere = (await stampOf(folder)) !== undefined;
    return { ...(await this.#gone(key)), folders: isThere ? [folder] : [] };
  }

  async #gone(key: string): Promise<Performed> {
    const { map, kept } = this.parts;
    return {
      folders: [],
      publish: () => {
        kept.delete(key);
        return { revision: map.get(key) === undefined ? map.revision : map.remove(key) };
      },
    };
  }

  async #adopt({ key, file }: { key: string; file: KeptFile }): Promise<Performed> {
    const { map, files, written } = this.parts;
    await this.#asFound(file);
    await files.flush(this.#at(file.path));
    written.note(file.path, await readFile(this.#at(file.path)));
    return {
      folders: [this.#folderOf(file.path)],
      publish: () => {
        this.#keep(key, file);
        return { revision: map.revision };
      },
    };
  }

  async #restore(key: string): Promise<Performed> {
    const { map, kept } = this.parts;
    const current = map.get(key);
    const nothing = { folders: [], publish: () => ({ revision: map.revision }) };
    if (current === undefined || current.value instanceof UnreadableValue) return nothing;
    const former = kept.get(key);
    if (former !== undefined) kept.set(key, { ...former, stamp: undefined });
    const file = await this.#write({ key, value: current.value, expiresAt: former?.expiresAt });
    return {
      folders: [this.#folderOf(file.path)],
      publish: () => {
        this.#keep(key, file);
        return { revision: map.revision };
      },
    };
  }

  async #look({ key, path }: { key: string; path: string }): Promise<Performed> {
    const found = await this.#found(key, path);
    return { folders: [], publish: () => ({ revision: this.parts.map.revision, found }) };
  }

  async #found(key: string, path: string): Promise<Found> {
    const file = this.parts.kept.get(key);
    const stamp = await stampOf(this.#at(path));
    if (sameStamp(stamp, file?.path === path ? file.stamp : undefined)) return { kind: "same" };
    if (stamp === undefined) return { kind: "missing" };
    if (!stamp.isFile) return { kind: "odd", stamp, reason: "it is not a regular file" };
    try {
      return { kind: "file", stamp, bytes: await readFile(this.#at(path)) };
    } catch (error) {
      return { kind: "odd", stamp, reason: errorMessage(error) };
    }
  }

  /** Throws when another program has changed the file since the store looked at it. */
  async #asFound({ path, stamp }: KeptFile): Promise<void> {
    if (sameStamp(await stampOf(this.#at(path)), stamp)) return;
    this.parts.suspect(path);
    throw this.#changed(path);
  }

  async #unchanged<T>(path: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof ChangedFileError)) throw error;
      this.parts.suspect(path);
      throw this.#changed(path);
    }
  }

  #changed(path: string): UnavailableError {
    const fault = this.parts.faultAt(path);
    const reason = fault === undefined ? "and that has not been taken over yet" : `and is not served: ${fault}`;
    return new UnavailableError(`file ${this.#at(path)} was changed by another program, ${reason}`, "not-done");
  }

  #keep(key: string, file: KeptFile): void {
    this.parts.kept.set(key, file);
  }

  #at(path: string): string {
    return join(this.parts.directory, path);
  }

  #folderOf(path: string): string {
    return dirname(this.#at(path));
  }
}

function readable(current: KeyValue): KeyValue {
  if (current.value instanceof UnreadableValue) throw unreadable(current.value);
  return current;
}

const goneText = (directory: string): string =>
  `folder ${directory} was removed or replaced while it is served: bring it back as it was, or stop the server`;

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(errorMessage(error)));
