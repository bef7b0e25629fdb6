import type { Random } from "../../base/random.js";
import { badRequest } from "../../machinery/errors/status-error.js";
import type { KubeObject, ObjectMeta } from "../../machinery/meta/object.js";

/** No vowels and nothing that looks like another character, so that no word is spelt by chance. */
const NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_LENGTH = 63;

/** The object's metadata, made when it has none; the draft is the request's own, so it may be changed. */
export function metadataOf(draft: KubeObject): ObjectMeta {
  draft.metadata ??= {};
  return draft.metadata;
}

/** Takes away from a new object what only the server decides. */
export function clearSystemMetadata(draft: KubeObject): void {
  const metadata = metadataOf(draft);
  delete metadata.uid;
  delete metadata.creationTimestamp;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
}

/** Gives a new object what only the server decides: uid, creation time, a name; and takes away what it may not bring. */
export function fillSystemMetadata(draft: KubeObject, now: number, random: Random): void {
  const metadata = metadataOf(draft);
  assign(metadata, "deletionTimestamp", undefined);
  assign(metadata, "deletionGracePeriodSeconds", undefined);
  // Key order is the encoder's business; these two are always the server's own.
  metadata.uid = uuid(random);
  metadata.creationTimestamp = timestamp(now);
  if ((metadata.generateName ?? "") !== "" && (metadata.name ?? "") === "") {
    metadata.name = generateName(metadata.generateName ?? "", random);
  }
}

export function generateName(base: string, random: Random): string {
  return base.slice(0, MAX_GENERATED_LENGTH - SUFFIX_LENGTH) + randomSuffix(random);
}

function randomSuffix(random: Random): string {
  let suffix = "";
  while (suffix.length < SUFFIX_LENGTH) {
    for (const byte of random.bytes(SUFFIX_LENGTH * 2)) {
      // 27 of 32 values are letters; the others are skipped so that each letter is equally likely.
      const letter = NAME_ALPHABET[byte & 31];
      if (letter !== undefined && suffix.length < SUFFIX_LENGTH) suffix += letter;
    }
  }
  return suffix;
}

/** A version 4 UUID. */
export function uuid(random: Random): string {
  const bytes = Buffer.from(random.bytes(16));
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** RFC 3339 in UTC, whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/** Puts the request's namespace on an object that has none, takes it off a cluster-scoped one, and refuses another one. */
export function matchNamespace(draft: KubeObject, requestNamespace: string): void {
  const metadata = metadataOf(draft);
  const own = metadata.namespace ?? "";
  if (own === requestNamespace) return;
  if (requestNamespace === "") {
    delete metadata.namespace;
    return;
  }
  if (own !== "") {
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  metadata.namespace = requestNamespace;
}

/** What a PUT or PATCH cannot change, restored from the current object. */
export function restoreSystemMetadata(draft: KubeObject, old: KubeObject): void {
  const metadata = metadataOf(draft);
  const before = old.metadata ?? {};
  if ((metadata.uid ?? "") === "") assign(metadata, "uid", before.uid);
  assign(metadata, "creationTimestamp", before.creationTimestamp);
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (metadata.deletionGracePeriodSeconds === undefined) {
    assign(metadata, "deletionGracePeriodSeconds", before.deletionGracePeriodSeconds);
  }
}

/** Sets a field, or removes it for undefined. */
export function assign<K extends keyof ObjectMeta>(
  metadata: ObjectMeta,
  key: K,
  value: ObjectMeta[K] | undefined,
): void {
  if (value === undefined) {
    // Even a delete of nothing is slow.
    if (Object.hasOwn(metadata, key)) delete metadata[key];
  } else metadata[key] = value as ObjectMeta[K];
}
