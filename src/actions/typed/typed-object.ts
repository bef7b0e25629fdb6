import { encodeObjectText } from "../../machinery/wire/encode.js";
import { encodeProtobufDocument } from "../../machinery/wire/protobuf/encode-protobuf.js";
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import type { Helper } from "../../resource/helper.js";
import type { Info } from "../../resource/info.js";
import { type FindSchema, isInScheme, loadScheme } from "./kubectl-scheme.js";
import { LAST_APPLIED, lastApplied } from "../apply/last-applied.js";

/** The encoders and schemas of the built-in kinds, as Go's typed clients have them. */
export interface TypedKinds {
  /**
   * The object as its Go type writes it, kind and apiVersion first, on one line. What the type does not have is left
   * out. Throws for a kind that is not built in.
   */
  encode(object: KubeObject): string;
  /** How the kind is reached, without asking a server. Throws as {@link encode}. */
  mapping(object: KubeObject): RestMapping;
  schema(object: KubeObject): StructSchema;
}

/**
 * Loads the facts of the built-in kinds: only commands that make objects themselves need them. With `retired`, for objects
 * of users, also of the versions that Kubernetes no longer serves.
 */
export async function loadTypedKinds({ retired = false } = {}): Promise<TypedKinds> {
  const { resources, schemaFor } = await import("../../api/facts/index.js");
  const find: FindSchema = retired ? await loadScheme() : (kind) => (isInScheme(kind) ? schemaFor(kind) : undefined);
  const schema = (object: KubeObject): StructSchema => find(kindOf(object)) ?? unknown(object);
  return {
    schema,
    encode: (object) => encodeObjectText(object, schema(object)),
    mapping: (object) => {
      const kind = kindOf(object);
      const facts = resources().find(
        (one) => one.kind === kind.kind && one.version === kind.version && one.group === kind.group,
      );
      if (facts === undefined) return unknown(object);
      const { group, version, name, namespaced } = facts;
      return { kind, resource: { group, version, resource: name }, namespaced };
    },
  };
}

function kindOf({ apiVersion = "", kind = "" }: KubeObject): GroupVersionKind {
  return { ...parseGroupVersion(apiVersion), kind };
}

/**
 * Throws for an object of a kind that kubectl has no type for, as commands do that read into types. Groups without a dot are all
 * built in, so that the facts need not be loaded for most objects.
 */
export async function requireType({ mapping: { kind } }: Info): Promise<void> {
  if (!kind.group.includes(".")) return;
  const find = await loadScheme();
  if (find(kind) === undefined) unknown({ apiVersion: formatGroupVersion(kind), kind: kind.kind });
}

function unknown({ apiVersion, kind }: KubeObject): never {
  throw new Error(`no kind "${kind}" is registered for version "${apiVersion}" in scheme "pkg/scheme/scheme.go:28"`);
}

/** Updates the last-applied annotation of a typed object: always with `always`, else only where it exists already. */
export function recordTypedConfiguration(object: KubeObject, always: boolean, kinds: TypedKinds): KubeObject {
  if (!always && (lastApplied(object) ?? "") === "") return object;
  const { [LAST_APPLIED]: _recorded, ...annotations } = object.metadata?.annotations ?? {};
  const bare = { ...object, metadata: { ...object.metadata, annotations } };
  const recorded = { ...annotations, [LAST_APPLIED]: `${kinds.encode(bare)}\n` };
  return { ...object, metadata: { ...object.metadata, annotations: recorded } };
}

/** The body in which a typed client sends an object, and its Content-Type. */
export interface TypedBody {
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** Encodes an object as a generated client of client-go sends it: in protobuf. */
export function protobufBody(object: KubeObject, kinds: TypedKinds): TypedBody {
  const body = encodeProtobufDocument(object, kindOf(object), kinds.schema(object));
  return { contentType: "application/vnd.kubernetes.protobuf", body };
}

/** Creates the object with a POST as kubectl's clients do for an object in a Go type: in JSON, with a newline at the end. */
export function createTyped(
  object: KubeObject,
  namespace: string,
  helper: Helper,
  kinds: TypedKinds,
): Promise<KubeObject> {
  return helper.createEncoded(namespace, new TextEncoder().encode(`${kinds.encode(object)}\n`));
}

/** Creates the object with a POST, as a generated client does. */
export function createByClient(
  object: KubeObject,
  namespace: string,
  helper: Helper,
  kinds: TypedKinds,
): Promise<KubeObject> {
  const { body, contentType } = protobufBody(object, kinds);
  return helper.createEncoded(namespace, body, contentType);
}
