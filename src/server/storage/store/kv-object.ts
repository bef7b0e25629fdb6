import type { KubeObject } from "../../../machinery/meta/object.js";
import { isStatusError } from "../../../machinery/errors/status-error.js";
import type { ObjectAttributes, ObjectCodec, StoredObject } from "../store.js";
import { unreadable, UnreadableValue } from "../kv.js";
import { undecodable } from "./errors.js";
import type { Codecs } from "./codecs.js";
import type { Evictable } from "./second-chance-cache.js";

/** The bytes of one revision of an object. All other forms are derived from them on first use. */
export class KvObject implements StoredObject, Evictable {
  residency: Evictable["residency"] = "out";
  versionPlace: number | undefined;
  #attributes: ObjectAttributes | undefined;
  #parsed: KubeObject | undefined;
  #encodings: Encodings | undefined;
  /** The codec that the derived forms were made with. */
  #codec: ObjectCodec | undefined;
  /** What readers saw last of an object that cannot be read any more. */
  lastReadable: KvObject | undefined;
  /** The generation of codecs that {@link #codec} was looked up in. */
  #generation = -1;
  #bytes: Uint8Array;
  #isCurrent: boolean;
  #isStale = false;

  /** `isCurrent` is true when the bytes are of the current schema epoch. */
  constructor(
    private readonly source: Codecs,
    readonly key: string,
    /** 0 for an object that was never written. */
    readonly revision: number,
    stored: Uint8Array,
    isCurrent: boolean,
    /** Whether caches may keep the derived forms: nobody asks again for an object that was not written. */
    private readonly isKept = true,
  ) {
    this.#bytes = stored;
    this.#isCurrent = isCurrent;
  }

  /** True for an object that the store has and cannot read: whatever is asked of it throws the reason. */
  get isUnreadable(): boolean {
    return this.#bytes instanceof UnreadableValue;
  }

  /** Whether {@link object} returns one. It decodes the object, unless that was done already. */
  get isDecodable(): boolean {
    if (this.isUnreadable) return false;
    try {
      this.peek();
      return true;
    } catch {
      return false;
    }
  }

  /** Why the object is unreadable; "" for one that is not. */
  get problem(): string {
    return this.#bytes instanceof UnreadableValue ? this.#bytes.problem : "";
  }

  get bytes(): Uint8Array {
    const isKnown = this.#generation === this.source.generation;
    // Only what a codec with changing schemas has read may become outdated.
    if (this.#isCurrent && this.#codec !== undefined && (isKnown || this.#codec.upgradesAlways !== true)) {
      return this.#bytes;
    }
    const codec = this.#refresh();
    if (!this.#isCurrent && codec.later?.needs(this.#bytes) !== true) {
      this.#replace(this.#decoded(() => codec.upgrade?.(this.#bytes) ?? this.#bytes));
    }
    return this.#bytes;
  }

  /** True while the bytes are of a version that only another process converts; see {@link ObjectCodec.later}. */
  get awaitsUpgrade(): boolean {
    const codec = this.#refresh();
    return !this.#isCurrent && codec.later?.needs(this.#bytes) === true;
  }

  /** Supplies the bytes of an object that awaits its upgrade. */
  upgrade(bytes: Uint8Array): void {
    this.evict();
    this.#encodings = undefined;
    this.#attributes = undefined;
    this.#replace(bytes);
  }

  #replace(upgraded: Uint8Array): void {
    this.#isStale ||= upgraded !== this.#bytes;
    if (upgraded !== this.#bytes) this.versionPlace = undefined;
    this.#bytes = upgraded;
    this.#isCurrent = true;
  }

  /** The length of what is held, in bytes. Brings nothing to the current schema, as {@link bytes} does. */
  get heldBytes(): number {
    return this.#bytes.byteLength;
  }

  get isStale(): boolean {
    return this.#isStale;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#selectable().labels;
  }

  get fields(): Readonly<Record<string, string>> {
    return this.#selectable().fields;
  }

  get encodings(): Map<string, Uint8Array> {
    this.#refresh();
    this.#encodings ??= new Encodings(this.#bytes.byteLength);
    if (this.isKept) this.source.encodings.touch(this.#encodings);
    return this.#encodings.bytes;
  }

  get weight(): number {
    // Objects take about three times the bytes of their JSON (measured with pods).
    return 256 + 3 * this.#bytes.byteLength;
  }

  object(): KubeObject {
    const codec = this.#refresh();
    this.#parsed ??= this.#decode(codec);
    if (this.isKept) this.source.cache.touch(this);
    return this.#parsed;
  }

  peek(): KubeObject {
    const codec = this.#refresh();
    return this.#parsed ?? this.#decode(codec);
  }

  /** Supplies the object that the bytes were made from, so that they need not be decoded. It must not change afterwards. */
  prime(object: KubeObject): void {
    const codec = this.#refresh();
    this.#isCurrent = true;
    this.#parsed ??= withResourceVersion(object, this.revision);
    this.#attributes ??= codec.attributes(this.#parsed);
    if (this.isKept) this.source.cache.touch(this);
  }

  /** The same content at another revision. A DELETED event carries the last state so. */
  at(revision: number): KvObject {
    const copy = new KvObject(this.source, this.key, revision, this.#bytes, this.#isCurrent);
    copy.#isStale = this.#isStale;
    copy.#attributes = this.#attributes;
    copy.#codec = this.#codec;
    copy.#generation = this.#generation;
    copy.versionPlace = this.versionPlace;
    return copy;
  }

  evict(): void {
    this.#parsed = undefined;
  }

  #decode(codec: ObjectCodec): KubeObject {
    const { bytes } = this;
    return withResourceVersion(
      this.#decoded(() => codec.decode(bytes)),
      this.revision,
    );
  }

  /** What is wrong with stored bytes is an error that names their key. */
  #decoded<T>(decode: () => T): T {
    try {
      return decode();
    } catch (error) {
      throw isStatusError(error) ? error : undecodable(this.key, this.#bytes, error);
    }
  }

  #selectable(): ObjectAttributes {
    const codec = this.#refresh();
    this.#attributes ??= codec.attributes(this.object());
    return this.#attributes;
  }

  #refresh(): ObjectCodec {
    const { source } = this;
    if (this.#bytes instanceof UnreadableValue) throw unreadable(this.#bytes);
    if (this.#codec !== undefined && this.#generation === source.generation) return this.#codec;
    const codec = source.codecFor(this.key);
    this.#generation = source.generation;
    if (codec !== this.#codec) {
      this.evict();
      this.#encodings = undefined;
      this.#attributes = undefined;
      this.#codec = codec;
      if (codec.upgradesAlways === true) this.#isCurrent = false;
    }
    return codec;
  }
}

function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  const metadata = { ...object.metadata };
  if (revision > 0) metadata.resourceVersion = String(revision);
  else delete metadata.resourceVersion;
  // Assigned rather than spread: defining a key that the copy already has is many times slower.
  const copy = { ...object };
  copy.metadata = metadata;
  return copy;
}

/** The encodings of one revision of an object. */
export class Encodings implements Evictable {
  residency: Evictable["residency"] = "out";
  readonly bytes = new Map<string, Uint8Array>();

  /** `weight`: how long the stored bytes are, of which an encoding is about as long. */
  constructor(readonly weight: number) {}

  evict(): void {
    this.bytes.clear();
  }
}
