import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ObjectCodec } from "../store.js";
import { HotSet } from "./hot-set.js";
import { KvObject } from "./kv-object.js";

/** What all objects of a storage share: how their bytes are read, and which of them keep what they read. */
export class Codecs {
  readonly hot: HotSet<KvObject>;
  readonly #codecs = new Map<string, ObjectCodec>();
  /** What is being written, by its bytes, so that what comes back in the watch is not decoded again. */
  readonly #written = new WeakMap<Uint8Array, KubeObject>();

  /**
   * Parsed and encoded forms of objects may take about `hotBytes`. `upgrades` says that stored bytes may be of another
   * schema epoch.
   */
  constructor(
    hotBytes: number,
    private readonly upgrades = false,
  ) {
    this.hot = new HotSet(hotBytes);
  }

  /** Objects below `prefix`, which ends in "/", are read by `codec` from now on. */
  register(prefix: string, codec: ObjectCodec): void {
    this.#codecs.set(prefix, codec);
  }

  /** The codec of the resource that holds `key`. A codec that was replaced makes derived forms stale. */
  codecFor(key: string): ObjectCodec {
    for (let end = key.lastIndexOf("/"); end > 0; end = key.lastIndexOf("/", end - 1)) {
      const codec = this.#codecs.get(key.slice(0, end + 1));
      if (codec !== undefined) return codec;
    }
    throw new Error(`no resource is registered for key ${key}`);
  }

  /** Announces that `bytes` are about to be written and stand for `object`. */
  expect(bytes: Uint8Array, object: KubeObject): void {
    this.#written.set(bytes, object);
  }

  /** What is stored at `key`, as it is stored today. */
  upgraded(key: string, bytes: Uint8Array): Uint8Array {
    return this.codecFor(key).upgrade?.(bytes) ?? bytes;
  }

  /** The object at one revision of a key; `revision` 0 for one that was never written. */
  object(key: string, revision: number, bytes: Uint8Array): KvObject {
    const source = this.#written.get(bytes);
    const object = new KvObject(this, key, revision, bytes, !this.upgrades || source !== undefined);
    if (source !== undefined) {
      this.#written.delete(bytes);
      object.prime(source);
    }
    return object;
  }
}
