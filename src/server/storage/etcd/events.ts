import type { KeyValue, KvEvent } from "../kv.js";
import type { KeySpace } from "./key-space.js";
import { DELETED, type EtcdEvent, type EtcdKeyValue } from "./messages.js";

export function keyValueOf(keys: KeySpace, { key, value, createRevision, modRevision }: EtcdKeyValue): KeyValue {
  return { key: keys.fromEtcd(key), value, createRevision, revision: modRevision };
}

/** Undefined when the key's previous value was compacted before etcd sent the event. */
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
