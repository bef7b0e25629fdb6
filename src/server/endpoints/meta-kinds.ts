import { schemaFor, structOf } from "../../api/facts/index.js";
import type { GroupVersionKind } from "../../machinery/meta/gvk.js";
import type { StructLookup } from "../../machinery/wire/protobuf/field-numbers.js";
import type { StructSchema } from "../../machinery/schema/schema.js";

/**
 * Kinds that are the same in every server, whatever it serves. This is the only module of the endpoints that takes schemas from
 * the API facts: all others get them from the scheme of the resource (`VersionCodec.schemaOf`).
 */
export const SCALE: GroupVersionKind = { group: "autoscaling", version: "v1", kind: "Scale" };
export const DELETE_OPTIONS: GroupVersionKind = { group: "", version: "v1", kind: "DeleteOptions" };
export const STATUS: GroupVersionKind = { group: "", version: "v1", kind: "Status" };
export const PARTIAL_OBJECT_METADATA: GroupVersionKind = {
  group: "meta.k8s.io",
  version: "v1",
  kind: "PartialObjectMetadata",
};

/** Returns the schema of a kind that the server itself sends or reads: a Status, a Scale, a discovery document. Throws for other kinds. */
export function metaSchema(gvk: GroupVersionKind): StructSchema {
  const schema = schemaFor(gvk);
  if (schema === undefined) throw new Error(`no schema for ${gvk.kind} in version "${gvk.version}"`);
  return schema;
}

const META_GROUP = "meta.k8s.io";

/** Returns the schema of a kind of meta.k8s.io, which every scheme of Kubernetes has; undefined for other kinds. */
export const metaGroupSchema = (gvk: GroupVersionKind): StructSchema | undefined =>
  gvk.group === META_GROUP ? schemaFor(gvk) : undefined;

/** Returns the schema of the metadata of lists. */
export function listMetaSchema(): StructSchema {
  const schema = structOf("io.k8s.apimachinery.pkg.apis.meta.v1.ListMeta");
  if (schema === undefined) throw new Error("no schema for ListMeta");
  return schema;
}

/** Looks up the types that protobuf messages refer to by name: only built-in kinds do, and theirs never change. */
export const protobufTypes: StructLookup = structOf;
