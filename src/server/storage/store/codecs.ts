import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ObjectCodec } from "../store.js";
import { SecondChanceCache } from "./second-chance-cache.js";
import { type Encodings, KvObject } from "./kv-object.js";

/** Decodes the values of a storage, and limits how many objects keep their decoded forms. */
export class Codecs {
  /** Of parsed objects. */
  readonly cache: SecondChanceCache<KvObject>;
  /** Of encodings, which outlast the parsed objects that they were made from. */
  readonly encodings: SecondChanceCache<Encodings>;
  /** Counts the changes of what {@link codecFor} answers. */
  generation = 0;
  readonly #codecs = new Map<string, ObjectCodec>();
  /** Those of removed resources, which live as long as a request that still uses them. */
  readonly #released = new Map<string, WeakRef<ObjectCodec>>();
  /** Objects being written, by their bytes, so that the watch event for a write is not decoded again. */
  readonly #written = new WeakMap<Uint8Array, KubeObject>();

  /**
   * Decoded forms of objects may take about `cacheBytes`, and encoded forms as much. `upgrades` is true when stored bytes may be of another
   * schema epoch.
   */
  constructor(
    cacheBytes: number,
    private readonly upgrades = false,
  ) {
    this.cache = new SecondChanceCache(cacheBytes);
    this.encodings = new SecondChanceCache(cacheBytes);
  }

  /** Decodes objects below `prefix`, which ends in "/", with `codec` from now on. */
  register(prefix: string, codec: ObjectCodec): void {
    this.generation++;
    this.#codecs.set(prefix, codec);
    this.#released.delete(prefix);
  }

  /** Lets go of the codec of a removed resource. It goes on decoding for those who hold it. */
  release(prefix: string): void {
    const codec = this.#codecs.get(prefix);
    if (codec === undefined) return;
    this.generation++;
    this.#codecs.delete(prefix);
    for (const [known, reference] of this.#released) if (reference.deref() === undefined) this.#released.delete(known);
    this.#released.set(prefix, new WeakRef(codec));
  }

  /**
   * Returns the codec of the resource that `key` belongs to. Replacing a codec invalidates the forms that were derived with
   * it.
   */
  codecFor(key: string): ObjectCodec {
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const prefix = key.slice(0, end + 1);
      const codec = this.#codecs.get(prefix) ?? this.#released.get(prefix)?.deref();
      if (codec !== undefined) return codec;
    }
    throw new Error(`no resource is registered for key ${key}`);
  }

  /** Records that `bytes`, which are about to be written, encode `object`. */
  expect(bytes: Uint8Array, object: KubeObject): void {
    this.#written.set(bytes, object);
  }

  /** Returns the object at one revision of a key; `revision` is 0 for an object that was never written. */
  object(key: string, revision: number, bytes: Uint8Array): KvObject {
    const source = this.#written.get(bytes);
    const isCurrent = source !== undefined || (!this.upgrades && isOwnJson(bytes));
    const object = new KvObject(this, key, revision, bytes, isCurrent);
    if (source !== undefined) {
      this.#written.delete(bytes);
      object.prime(source);
    }
    return object;
  }

  /** What a dry run would have written: `bytes` encode `source`. */
  unwritten(key: string, revision: number, bytes: Uint8Array, source: KubeObject): KvObject {
    const object = new KvObject(this, key, revision, bytes, true, false);
    object.prime(source);
    return object;
  }
}

/**
 * False for bytes that another program may have written: protobuf, and JSON with the newline that Go's encoder puts behind
 * it. An etcd may be shared with a kube-apiserver at any time, whose version no schema epoch tells.
 */
const isOwnJson = (bytes: Uint8Array): boolean => bytes[0] === 0x7b && bytes[bytes.length - 1] === 0x7d;
