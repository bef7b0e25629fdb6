import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import { formatGroupResource, type GroupResource } from "../../machinery/errors/status-error.js";
import type { KeyTransformers } from "../../server/storage/encryption/encrypted-kv.js";
import type { ResourceTransformers } from "../../server/storage/encryption/open-transformers.js";
import { isEncrypted, TransformError } from "../../server/storage/encryption/transformer.js";
import type { KeyValue, Kv } from "../../server/storage/kv.js";
import { UnreadableValue } from "../../server/storage/kv.js";
import { placeOf, prefixesOf } from "./key-transformers.js";

/** Keys read at a time. */
const PAGE = 500;

/**
 * Throws where stored values of an encrypted resource cannot be read because the configuration lacks their key or provider, or has
 * another secret. Single damaged values, and values that a KMS cannot decrypt at present, do not count.
 */
export async function requireReadableValues(
  kv: Kv,
  transformers: ResourceTransformers,
  keys: KeyTransformers,
): Promise<void> {
  const prefixes = new Set(transformers.resources.flatMap(prefixesOf));
  /** Whether a value has been read, by resource, provider and key name; else why the first one was not. */
  const states = new Map<string, true | string>();
  for (const prefix of prefixes) {
    let startAfter: string | undefined;
    for (;;) {
      const page = await kv.list(prefix, { limit: PAGE, ...(startAfter !== undefined && { startAfter }) });
      for (const item of page.items) await readOne(item, keys, states);
      startAfter = page.items.at(-1)?.key;
      if (page.remaining === 0 || startAfter === undefined) break;
    }
  }
  for (const state of states.values()) if (state !== true) throw new Error(state);
}

async function readOne(item: KeyValue, keys: KeyTransformers, states: Map<string, true | string>): Promise<void> {
  const { key, value } = item;
  const transformer = keys.of(key);
  const place = placeOf(key);
  if (transformer === undefined || place === undefined || value instanceof UnreadableValue) return;
  const label = labelOf(value);
  const id = `${place.prefix}${label}`;
  if (states.get(id) === true) return;
  const path = keys.pathOf(key);
  try {
    await transformer.fromStorage(value, path);
    states.set(id, true);
  } catch (error) {
    if (error instanceof TransformError && error.isTransient) return;
    if (!states.has(id)) states.set(id, problemOf(place.resource, path, label, errorMessage(error)));
  }
}

/** "k8s:enc:aescbc:v1:key1:" of an encrypted value; "" of one that is stored as it is. */
function labelOf(value: Uint8Array): string {
  if (!isEncrypted(value)) return "";
  const [, , provider = "", version = "", name = ""] = Buffer.from(value.subarray(0, 512)).toString("utf8").split(":");
  return `k8s:enc:${provider}:${version}:${name}:`;
}

function problemOf(resource: GroupResource, path: string, label: string, reason: string): string {
  const [, , provider = "", version = "", name = ""] = label.split(":");
  const how =
    label === ""
      ? "which is stored as it is (provider identity)"
      : `which provider ${provider} (${version}) has encrypted with key ${goQuote(name)}`;
  return `none of the providers of ${formatGroupResource(resource)} reads the value of ${goQuote(path)}, ${how}: ${reason}`;
}
