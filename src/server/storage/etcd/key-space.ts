import type { KeyValue, KvEvent } from "../kv.js";
import { DELETED, type EtcdEvent, type EtcdKeyValue } from "./messages.js";

/** Maps a store's keys to keys in etcd, below one prefix. The store touches no others. */
export class KeySpace {
  readonly #theirs: string;

  /**
   * `ours` is the prefix of the store's keys ("/registry") and `theirs` its counterpart in etcd ("/clusters/a"):
   * "/registry/pods/x" is "/clusters/a/pods/x" in etcd.
   */
  constructor(
    private readonly ours: string,
    theirs: string,
  ) {
    const names = theirs.split("/").filter((name) => name !== "");
    this.#theirs = names.map((name) => `/${name}`).join("");
  }

  /** Throws a {@link RangeError} for a key outside this store. */
  toEtcd(key: string): Uint8Array {
    if (!key.startsWith(`${this.ours}/`)) throw new RangeError(`key ${key} does not begin with ${this.ours}/`);
    return encode(this.#theirs + key.slice(this.ours.length));
  }

  fromEtcd(key: Uint8Array): string {
    return this.ours + decoder.decode(key).slice(this.#theirs.length);
  }

  /** The range of keys below `prefix`, including `key` and excluding `rangeEnd`. */
  range(prefix: string): { key: Uint8Array; rangeEnd: Uint8Array } {
    const root = `${this.ours}/`;
    const key = this.toEtcd(root.startsWith(prefix) ? root : prefix);
    return { key, rangeEnd: endOfPrefix(key) };
  }
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const encode = (text: string): Uint8Array => encoder.encode(text);

/** The first key after all that begin with `prefix`. */
function endOfPrefix(prefix: Uint8Array): Uint8Array {
  const end = Uint8Array.from(prefix);
  // UTF-8 has no byte 255, so the last byte can always be incremented.
  end[end.length - 1] = (end.at(-1) ?? 0) + 1;
  return end;
}

/** The first key after this one. */
export function nextKey(key: Uint8Array): Uint8Array {
  return Uint8Array.from([...key, 0]);
}

export function keyValueOf(keys: KeySpace, { key, value, createRevision, modRevision }: EtcdKeyValue): KeyValue {
  return { key: keys.fromEtcd(key), value, createRevision, revision: modRevision };
}

/** Converts an event of etcd; undefined when the key's previous value was compacted before etcd sent it. */
export function eventOf(keys: KeySpace, { type, kv, prevKv }: EtcdEvent): KvEvent | undefined {
  if (kv === undefined) return undefined;
  const { key, revision, value } = keyValueOf(keys, kv);
  const previous = prevKv && keyValueOf(keys, prevKv);
  if (type !== DELETED && kv.createRevision === kv.modRevision) return { type: "create", key, revision, value };
  if (previous === undefined) return undefined;
  return type === DELETED
    ? { type: "delete", key, revision, previous }
    : { type: "update", key, revision, value, previous };
}
