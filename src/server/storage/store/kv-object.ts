import type { KubeObject } from "../../../machinery/meta/object.js";
import type { ObjectAttributes, ObjectCodec, StoredObject } from "../store.js";
import type { Codecs } from "./codecs.js";
import type { Coolable } from "./hot-set.js";

/** The bytes of one revision of one object; everything else is derived from them when asked for. */
export class KvObject implements StoredObject, Coolable {
  heat: Coolable["heat"] = "cold";
  #attributes: ObjectAttributes | undefined;
  #parsed: KubeObject | undefined;
  #encodings: Map<string, Uint8Array> | undefined;
  /** The codec that the derived forms come from. */
  #codec: ObjectCodec | undefined;
  #bytes: Uint8Array;
  #isCurrent: boolean;
  #isStale = false;

  /** `isCurrent` says that the bytes are of today's schema epoch. */
  constructor(
    private readonly source: Codecs,
    readonly key: string,
    /** 0 for an object that was never written. */
    readonly revision: number,
    stored: Uint8Array,
    isCurrent: boolean,
  ) {
    this.#bytes = stored;
    this.#isCurrent = isCurrent;
  }

  get bytes(): Uint8Array {
    if (!this.#isCurrent) {
      const upgraded = this.source.upgraded(this.key, this.#bytes);
      this.#isStale = upgraded !== this.#bytes;
      this.#bytes = upgraded;
      this.#isCurrent = true;
    }
    return this.#bytes;
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
    this.#encodings ??= new Map();
    this.source.hot.touch(this);
    return this.#encodings;
  }

  get weight(): number {
    // Objects with their strings and maps take about three times what their JSON does (measured with pods).
    return 256 + 3 * this.#bytes.byteLength;
  }

  object(): KubeObject {
    const codec = this.#refresh();
    this.#parsed ??= withResourceVersion(codec.decode(this.bytes), this.revision);
    this.source.hot.touch(this);
    return this.#parsed;
  }

  /** Hands in what the bytes were made from, so that they need not be decoded. Nobody may change it any more. */
  prime(object: KubeObject): void {
    const codec = this.#refresh();
    this.#parsed ??= withResourceVersion(object, this.revision);
    this.#attributes ??= codec.attributes(this.#parsed);
    this.source.hot.touch(this);
  }

  /** The same content at another revision: how a deletion shows the last state. */
  at(revision: number): KvObject {
    const copy = new KvObject(this.source, this.key, revision, this.#bytes, this.#isCurrent);
    copy.#attributes = this.#attributes;
    copy.#codec = this.#codec;
    return copy;
  }

  cool(): void {
    this.#parsed = undefined;
    this.#encodings = undefined;
  }

  #selectable(): ObjectAttributes {
    const codec = this.#refresh();
    this.#attributes ??= codec.attributes(this.object());
    return this.#attributes;
  }

  #refresh(): ObjectCodec {
    const codec = this.source.codecFor(this.key);
    if (codec !== this.#codec) {
      this.cool();
      this.#attributes = undefined;
      this.#codec = codec;
    }
    return codec;
  }
}

function withResourceVersion(object: KubeObject, revision: number): KubeObject {
  const metadata = { ...object.metadata };
  if (revision > 0) metadata.resourceVersion = String(revision);
  else delete metadata.resourceVersion;
  // Assigned: to define anew what a copy already has takes many times as long.
  const copy = { ...object };
  copy.metadata = metadata;
  return copy;
}
