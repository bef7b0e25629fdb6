import type { Random } from "../../base/numbers/random.js";
import { uuid } from "../../base/numbers/uuid.js";
import { badRequest } from "../../machinery/errors/status-error.js";
import type { KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import { deepCopy } from "../../machinery/patch/json-values.js";
import { type FieldError, formatFieldError, invalidValue } from "../../machinery/errors/field-error.js";
import { validateNames, validateObjectMeta, validateObjectMetaUpdate } from "../../machinery/validation/object-meta.js";

/**
 * kube-apiserver's alphabet for generated names: no vowels and no characters that look alike, so that no word is spelt by
 * chance.
 */
const NAME_ALPHABET = "bcdfghjklmnpqrstvwxz2456789";
const SUFFIX_LENGTH = 5;
const MAX_GENERATED_LENGTH = 63;

/**
 * Returns the draft's metadata and adds an empty one where it is missing. The draft belongs to the request and may be
 * changed.
 */
export function metadataOf(draft: KubeObject): ObjectMeta {
  draft.metadata ??= {};
  return draft.metadata;
}

/** Removes the metadata fields of a new object that only the server sets. */
export function clearSystemMetadata(draft: KubeObject): void {
  const metadata = metadataOf(draft);
  assign(metadata, "uid", undefined);
  assign(metadata, "creationTimestamp", undefined);
  assign(metadata, "deletionTimestamp", undefined);
  assign(metadata, "deletionGracePeriodSeconds", undefined);
}

/**
 * Sets uid, creationTimestamp and a generated name on a new object, and removes the other metadata fields that only the
 * server sets.
 */
export function fillSystemMetadata(draft: KubeObject, now: number, random: Random): void {
  const metadata = metadataOf(draft);
  assign(metadata, "deletionTimestamp", undefined);
  assign(metadata, "deletionGracePeriodSeconds", undefined);
  // The encoder orders the keys. The server overwrites these two whatever the client sent.
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

/** Formats a time as RFC 3339 in UTC with whole seconds. */
export function timestamp(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}

/**
 * Sets the request's namespace on an object that has none, and removes the namespace of a cluster-scoped object. Throws a
 * BadRequest for another namespace.
 */
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

/** Copies from the current object the metadata that a PUT or PATCH cannot change. */
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

export type KeptMetadata = "labels" | "annotations" | "finalizers" | "ownerReferences";

/** The metadata fields that a status write keeps, for resources whose status writes change no metadata. */
export const STATUS_METADATA: readonly KeptMetadata[] = ["labels", "annotations", "finalizers", "ownerReferences"];

/** Restores these metadata fields from `old`. managedFields are not restored. */
export function keepMetadata(draft: KubeObject, old: KubeObject, fields: readonly KeptMetadata[]): void {
  const metadata = metadataOf(draft);
  for (const field of fields) {
    const stored = old.metadata?.[field];
    assign(metadata, field, stored && deepCopy(stored));
  }
}

/** Sets a field, or deletes it when `value` is undefined. */
export function assign<K extends keyof ObjectMeta>(
  metadata: ObjectMeta,
  key: K,
  value: ObjectMeta[K] | undefined,
): void {
  if (value === undefined) {
    // V8 is slow at `delete` even when the key is absent.
    if (Object.hasOwn(metadata, key)) delete metadata[key];
  } else metadata[key] = value;
}

type NameRule = (name: string) => readonly string[];

/** Returns the problems of a new object's metadata, with its name checked by the kind's rule. */
export function validateMetadata(object: KubeObject, namespaced: boolean, nameRule: NameRule): FieldError[] {
  const rule = (name: string) => [...nameRule(name)];
  return [...validateObjectMeta(object.metadata ?? {}, { namespaced, nameRule: rule }), ...finalizerErrors(object)];
}

/**
 * Returns the problems of a name that no kind allows, such as "..". The Store asks after the kind's own validation has
 * passed, so that the kind's error comes first.
 */
export function validateNameSegment({ metadata = {} }: KubeObject): FieldError[] {
  return validateNames(metadata, pathSegmentErrors);
}

/** Returns the problems of a change of metadata. The kind's rule for names does not apply to an existing object. */
export function validateMetadataUpdate(object: KubeObject, old: KubeObject, namespaced: boolean): FieldError[] {
  const metadata = object.metadata ?? {};
  const errors = [
    ...validateObjectMeta(metadata, { namespaced, nameRule: pathSegmentErrors }),
    ...validateObjectMetaUpdate(metadata, old.metadata ?? {}),
    ...finalizerErrors(object),
  ];
  const seen = new Set<string>();
  return errors.filter((error) => {
    const text = formatFieldError(error);
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}

/** Returns the problems of a name as one segment of a path. */
export function pathSegmentErrors(name: string): string[] {
  if (name === "." || name === "..") return [`may not be '${name}'`];
  return ["/", "%"].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);
}

const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** The groups whose kinds allow any qualified name as a finalizer. */
const LAX_GROUPS: ReadonlySet<string> = new Set([
  "admissionregistration.k8s.io",
  "apiextensions.k8s.io",
  "apiregistration.k8s.io",
  "coordination.k8s.io",
  "node.k8s.io",
]);

/** Checks that a finalizer outside Kubernetes' own list is qualified by a domain. */
function finalizerErrors({ apiVersion, metadata }: KubeObject): FieldError[] {
  if (LAX_GROUPS.has(apiVersion?.split("/")[0] ?? "")) return [];
  const detail = "name is neither a standard finalizer name nor is it fully qualified";
  return (metadata?.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)
      ? []
      : [invalidValue(`metadata.finalizers[${index}]`, finalizer, detail)],
  );
}
