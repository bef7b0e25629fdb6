import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { ObjectMeta, ApiObject } from "../../../machinery/meta/object.js";
import { AsyncLocalStorage } from "node:async_hooks";
import { join } from "node:path";
import { errorMessage } from "../../../base/text/error-message.js";
import { isJsonObject, type JsonObject } from "../../../machinery/meta/json.js";
import { isStatusError } from "../../../machinery/errors/status-error.js";
import { type ApplyOutsideEdit, UnreadableValue } from "../kv.js";
import type { RevisionedMap } from "../revisioned-map.js";
import type { ChangeQueue, EditUnderWay, Found, KeptFile } from "./change-queue.js";
import { type FileStamp, sameStamp } from "./durable-files.js";
import type { Layout, ObjectPlace } from "./layout.js";
import { foreignValue, oddText, problemOf } from "./load-folder.js";
import { type ObjectFile, readObjectFile, valueOf } from "./object-file.js";

export interface EditsParts {
  readonly directory: string;
  readonly layout: Layout;
  readonly map: RevisionedMap;
  readonly kept: ReadonlyMap<string, KeptFile>;
  readonly queue: ChangeQueue;
  readonly warn: (warning: string) => void;
  /** A key expires by a file that was taken as it is. */
  readonly expires: (key: string, revision: number, at: number) => void;
}

/** The state of a file that is not served, and why. */
interface Fault {
  readonly stamp: FileStamp | undefined;
  readonly reason: string;
  /** The reason may pass, though the file stays as it is. */
  readonly mayPass?: boolean;
}

/** What other objects need. */
const FIRST = ["/registry/namespaces/", "/registry/apiextensions.k8s.io/customresourcedefinitions/"];

type FileFound = Extract<Found, { kind: "file" }>;

/** Applies the changes that other programs made to files: through the server if there is one, else as they are. */
export class Edits {
  /** Files that are not served as they are, by path. */
  readonly #faults = new Map<string, Fault>();
  /** What a write of unknown outcome may have left at a path; undefined for a removal. */
  readonly #unsettled = new Map<string, Uint8Array | undefined>();
  readonly #underWay = new AsyncLocalStorage<EditUnderWay>();
  #apply: ApplyOutsideEdit | undefined;

  constructor(private readonly parts: EditsParts) {}

  /** The edit that the caller is a part of. */
  editOf(key: string): EditUnderWay | undefined {
    const edit = this.#underWay.getStore();
    return edit?.key === key ? edit : undefined;
  }

  /** Why the file at a path is not served; undefined where it is, or is not looked at yet. */
  faultAt(path: string): string | undefined {
    return this.#faults.get(path)?.reason;
  }

  /** The state of the file that needs no further look. */
  known(path: string): FileStamp | undefined {
    const fault = this.#faults.get(path);
    if (fault !== undefined && fault.mayPass !== true) return fault.stamp;
    const key = this.parts.layout.placeOfPath(path)?.key;
    const file = key === undefined ? undefined : this.parts.kept.get(key);
    return file?.path === path ? file.stamp : undefined;
  }

  unsettled(path: string, value: Uint8Array | undefined): void {
    this.#unsettled.set(path, value);
  }

  /** From now on edits go through the server above, `foreign` first: keys whose files were changed while nobody served them. */
  async attach(apply: ApplyOutsideEdit, foreign: readonly string[]): Promise<void> {
    this.#apply = apply;
    const ofLater = foreign.filter((key) => !FIRST.some((prefix) => key.startsWith(prefix)));
    for (const prefix of FIRST) for (const key of foreign) if (key.startsWith(prefix)) await this.#prove(key);
    for (const key of ofLater) await this.#prove(key);
  }

  /** Takes over the change of a file. Never rejects. */
  async takeOver(path: string): Promise<void> {
    try {
      await this.#takeOver(path);
    } catch (error) {
      // The file has changed again, or the disk fails. The next look tries once more.
      this.#unsettledWarning(path, error);
    }
  }

  #unsettledWarning(path: string, error: unknown): void {
    this.parts.warn(`file ${this.#at(path)} could not be taken over: ${errorMessage(error)}`);
  }

  async #takeOver(path: string): Promise<void> {
    const place = this.parts.layout.placeOfPath(path);
    if (place === undefined) return this.#lookAtOdd(path);
    const { found } = await this.parts.queue.run({ type: "look", key: place.key, path });
    switch (found?.kind) {
      case "file":
        return this.#fileChanged(place, found);
      case "odd":
        return this.#refuse(place, found.stamp, found.reason);
      case "missing":
        return this.#fileRemoved(place);
      case "same":
      case undefined:
        this.#faults.delete(path);
    }
  }

  /** A file that is no object's. The key that it may be meant for is free when it is gone. */
  async #lookAtOdd(path: string): Promise<void> {
    const { layout, map, kept, queue, directory, warn } = this.parts;
    const { found } = await queue.run({ type: "look", key: path, path });
    if (found?.kind === "file" || found?.kind === "odd") {
      const reason = oddText(layout, directory, path);
      if (!sameStamp(this.#faults.get(path)?.stamp, found.stamp)) warn(reason);
      this.#faults.set(path, { stamp: found.stamp, reason });
      return;
    }
    this.#faults.delete(path);
    const meant = layout.meantBy(path);
    if (meant === undefined || kept.get(meant.key)?.stamp !== undefined) return;
    if (map.get(meant.key)?.value instanceof UnreadableValue) {
      await queue.run({ type: "drop", key: meant.key, path: meant.path });
    }
  }

  async #fileChanged(place: ObjectPlace, found: FileFound): Promise<void> {
    let file: ObjectFile;
    try {
      file = readObjectFile(place, found.bytes);
    } catch (error) {
      return this.#refuse(place, found.stamp, errorMessage(error));
    }
    const { map, queue } = this.parts;
    const { path, key } = place;
    const kept: KeptFile = { path, stamp: found.stamp, expiresAt: file.expiresAt };
    const current = map.get(key)?.value;
    const value = valueOf(file.object);
    if (current !== undefined && isEqual(current, value)) {
      await queue.run({ type: "adopt", key, file: kept });
      this.#faults.delete(path);
      return;
    }
    const own = this.#unsettled.get(path);
    const isOwn = own !== undefined && isEqual(own, value);
    const isBack = current instanceof UnreadableValue && hasUid(file.object);
    if (isOwn || isBack || this.#apply === undefined) {
      const { revision } = await queue.run({
        type: "take",
        key,
        value: isOwn ? own : foreignValue(file.object),
        file: kept,
      });
      if (file.expiresAt !== undefined) this.parts.expires(key, revision, file.expiresAt);
      this.#unsettled.delete(path);
      this.#faults.delete(path);
      if (isBack && this.#apply !== undefined) await this.#prove(key);
      return;
    }
    this.#unsettled.delete(path);
    await this.#applyEdit(place, kept, file.object, current !== undefined && !(current instanceof UnreadableValue));
  }

  async #applyEdit(place: ObjectPlace, file: KeptFile, object: JsonObject, exists: boolean): Promise<void> {
    const { path, key } = place;
    try {
      await this.#through(place, file, { object: withoutServersFields(object), exists });
    } catch (error) {
      return this.#notTaken(place, file.stamp, error);
    }
    this.#faults.delete(path);
    // The server may have found nothing to write: the file says what is served.
    const { found } = await this.parts.queue.run({ type: "look", key, path });
    if (found?.kind !== "file" || !sameStamp(found.stamp, file.stamp)) return;
    await this.parts.queue.run({ type: "adopt", key, file });
  }

  async #fileRemoved(place: ObjectPlace): Promise<void> {
    const { map, queue } = this.parts;
    const { path, key } = place;
    this.#faults.delete(path);
    const current = map.get(key);
    if (current === undefined) return;
    const isOwn = this.#unsettled.has(path) && this.#unsettled.get(path) === undefined;
    if (isOwn || this.#apply === undefined || current.value instanceof UnreadableValue) {
      await queue.run({ type: "drop", key, path });
      this.#unsettled.delete(path);
      return;
    }
    this.#unsettled.delete(path);
    try {
      await this.#through(place, { path, stamp: undefined }, { object: undefined, exists: true });
    } catch (error) {
      this.parts.warn(`file ${this.#at(path)} was removed, and is written again: ${reasonOf(error)}`);
    }
    if (map.get(key) === undefined) return;
    const { found } = await queue.run({ type: "look", key, path });
    if (found?.kind === "missing") await queue.run({ type: "restore", key });
  }

  /** Has the server judge an object that is served already, as its file has it. */
  async #prove(key: string): Promise<void> {
    const { layout, map, kept, queue } = this.parts;
    const place = layout.placeOfKey(key);
    const current = map.get(key);
    const file = kept.get(key);
    if (place === undefined || current === undefined || file?.path !== place.path) return;
    if (current.value instanceof UnreadableValue) return;
    const object = JSON.parse(Buffer.from(current.value).toString()) as JsonObject;
    if (!hasUid(object)) {
      // Nobody has created it yet.
      await queue.run({ type: "withdraw", key });
      return this.takeOver(place.path);
    }
    try {
      await this.#through(place, file, { object: withoutServersFields(object), exists: true });
    } catch (error) {
      if (!isWrongObject(error)) return this.parts.warn(`file ${this.#at(place.path)}: ${reasonOf(error)}`);
      if (map.get(key)?.revision !== current.revision) return;
      const problem = problemOf(this.#at(place.path), reasonOf(error));
      this.parts.warn(problem);
      this.#faults.set(place.path, { stamp: file.stamp, reason: reasonOf(error) });
      await queue.run({ type: "take", key, value: new UnreadableValue(problem), file }).catch(() => {});
      return;
    }
    const now = kept.get(key);
    if (now !== undefined && sameStamp(now.stamp, file.stamp)) {
      await queue.run({ type: "adopt", key, file: now }).catch(() => {});
    }
  }

  async #through(
    { key, path, group, resource, namespace, name }: ObjectPlace,
    file: KeptFile,
    { object, exists }: { readonly object: JsonObject | undefined; readonly exists: boolean },
  ): Promise<void> {
    const current = this.parts.map.get(key);
    const stored = object ?? JSON.parse(Buffer.from(current?.value ?? []).toString());
    // Not every resource may be updated without a version. Nobody else writes the object before its edit is taken over.
    const sent = exists && current !== undefined ? ofVersion(object, current.revision) : object;
    const edit = { group, resource, namespace, name, apiVersion: String(stored.apiVersion), object: sent, exists };
    await this.#underWay.run({ key, path, stamp: file.stamp }, async () => this.#apply?.(edit));
  }

  /** The server has not taken the edit. What it says of a wrong object stays true; other failures may pass. */
  #notTaken(place: ObjectPlace, stamp: FileStamp | undefined, error: unknown): void {
    const reason = reasonOf(error);
    this.#warnOf(place.path, stamp, reason);
    this.#faults.set(place.path, { stamp, reason, mayPass: !isWrongObject(error) });
  }

  async #refuse(place: ObjectPlace, stamp: FileStamp, reason: string): Promise<void> {
    const { map, queue } = this.parts;
    const { key, path } = place;
    this.#warnOf(path, stamp, reason);
    this.#faults.set(path, { stamp, reason });
    const current = map.get(key)?.value;
    if (current !== undefined && !(current instanceof UnreadableValue)) return;
    const value = new UnreadableValue(problemOf(this.#at(path), reason));
    await queue.run({ type: "take", key, value, file: { path, stamp } });
  }

  #warnOf(path: string, stamp: FileStamp | undefined, reason: string): void {
    const fault = this.#faults.get(path);
    if (fault?.reason === reason && sameStamp(fault.stamp, stamp)) return;
    this.parts.warn(`file ${this.#at(path)} is not served as it is: ${reason}`);
  }

  #at(path: string): string {
    return join(this.parts.directory, path);
  }
}

const hasUid = ({ metadata }: FieldsOf<ApiObject>): boolean =>
  isJsonObject(metadata) && typeof metadata["uid"] === "string" && metadata["uid"] !== "";

/** Equal but for the line break that {@link foreignValue} adds. */
function isEqual(stored: Uint8Array, value: Uint8Array): boolean {
  const end = stored.at(-1) === 0x0a ? stored.byteLength - 1 : stored.byteLength;
  return Buffer.compare(stored.subarray(0, end), value) === 0;
}

/** Whether the server refuses the object for what it says, and not because of the state that it is in. */
const isWrongObject = (error: unknown): boolean =>
  isStatusError(error) && (error.status.code === 400 || error.status.code === 422);

const reasonOf = (error: unknown): string =>
  isStatusError(error) ? (error.status.message ?? "") : errorMessage(error);

/** What the server keeps itself: a file has an earlier state of it. */
function withoutServersFields(object: JsonObject): JsonObject {
  const { metadata } = object;
  if (!isJsonObject(metadata)) return object;
  const { resourceVersion: _, managedFields: __, ...rest } = metadata;
  return { ...object, metadata: rest } satisfies FieldsOf<ApiObject>;
}

const ofVersion = (object: JsonObject | undefined, revision: number): JsonObject | undefined =>
  object &&
  ({
    ...object,
    metadata: {
      ...(object["metadata"] as JsonObject),
      resourceVersion: String(revision),
    } satisfies FieldsOf<ObjectMeta>,
  } satisfies FieldsOf<ApiObject>);
