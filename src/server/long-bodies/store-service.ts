import type { Kv, KeyValue } from "../storage/kv.js";
import type { StoreAnswer, StoreCall, StoreCalls } from "./protocol.js";
import { storeFailure } from "./store-failure.js";

/** Does for another thread what it asks of the store. Never rejects. */
export async function answerStoreCall(kv: Kv, { id, name, given }: StoreCall): Promise<StoreAnswer> {
  try {
    const call = kv[name].bind(kv) as (...given: readonly unknown[]) => ReturnType<StoreCalls[keyof StoreCalls]>;
    return { kind: "stored", id, answer: alone(await call(...given)) };
  } catch (error) {
    return { kind: "stored", id, failure: alone(storeFailure(error)) };
  }
}

/** What the answer shares memory with does not cross with it: a value may be a view of something much longer. */
function alone<T>(answer: T): T {
  if (!isFields(answer)) return answer;
  const copy: Record<string, unknown> = { ...answer };
  for (const field of ["kv", "previous", "current"]) {
    if (typeof copy[field] === "object") copy[field] = keyValueAlone(copy[field] as KeyValue);
  }
  if (Array.isArray(copy["items"])) copy["items"] = (copy["items"] as readonly KeyValue[]).map(keyValueAlone);
  return copy as T;
}

const isFields = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

function keyValueAlone({ key, value, createRevision, revision }: KeyValue): KeyValue {
  const whole = value.byteLength === value.buffer.byteLength;
  return { key, value: whole ? value : new Uint8Array(value), createRevision, revision };
}
