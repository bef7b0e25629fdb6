import { schemaFor } from "../../../src/api/facts/index.js";
import { encodedView } from "../../../src/machinery/apply/encoded-view.js";
import { FieldManager } from "../../../src/machinery/apply/field-manager.js";
import type { FieldFilter } from "../../../src/machinery/apply/field-filter.js";
import { describe as descriptorOf, type TypeDescriptor } from "../../../src/machinery/apply/type-descriptor.js";
import { formatGroupVersion, type GroupVersionKind } from "../../../src/machinery/meta/gvk.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { StructSchema } from "../../../src/machinery/schema/schema.js";

export const CONFIG_MAP = { group: "", version: "v1", kind: "ConfigMap" };
export const DEPLOYMENT = { group: "apps", version: "v1", kind: "Deployment" };
export const POD = { group: "", version: "v1", kind: "Pod" };
export const SERVICE = { group: "", version: "v1", kind: "Service" };

export function structOfKind(kind: GroupVersionKind): StructSchema {
  const schema = schemaFor(kind);
  if (schema === undefined) throw new Error(`no schema of ${kind.kind}`);
  return schema;
}

export const typeOfKind = (kind: GroupVersionKind): TypeDescriptor => descriptorOf(structOfKind(kind));

/** The fields of an object, with what says its kind and name. */
export function objectOf(kind: GroupVersionKind, fields: JsonObject, metadata: JsonObject = {}): JsonObject {
  return {
    apiVersion: formatGroupVersion(kind),
    kind: kind.kind,
    metadata: { name: "x", namespace: "default", ...metadata },
    ...fields,
  };
}

/** A field manager of a kind whose other versions are not served, or are converted by a given function. */
export function fieldManagerOf(
  kind: GroupVersionKind,
  options: {
    subresource?: string;
    reset?: FieldFilter;
    now?: () => string;
    otherVersions?: Readonly<Record<string, TypeDescriptor>>;
    convert?: (object: JsonObject, from: string, to: string) => JsonObject | undefined;
  } = {},
): FieldManager {
  const schema = structOfKind(kind);
  const apiVersion = formatGroupVersion(kind);
  return new FieldManager({
    kind,
    subresource: options.subresource ?? "",
    versions: {
      typeOf: (version) => (version === apiVersion ? descriptorOf(schema) : options.otherVersions?.[version]),
      convert: (object, from, to) => options.convert?.(object, from, to),
      resetFields: () => options.reset,
    },
    empty: { ...encodedView({}, schema), apiVersion, kind: kind.kind },
    now: options.now ?? (() => "2026-01-01T00:00:00Z"),
  });
}

/** What a stored object reads like: with a uid, and the zero structs of its kind. */
export function storedView(kind: GroupVersionKind, object: JsonObject): JsonObject {
  const metadata = object["metadata"] as JsonObject;
  return encodedView({ ...object, metadata: { ...metadata, uid: "u1" } }, structOfKind(kind));
}
