import { allScheme } from "../../api/scheme/all.js";
import { errorMessage } from "../../base/text/error-message.js";
import { inertText } from "../../base/text/inert-text.js";
import { formatGroupVersion, type GroupVersionKind, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { StructSchema } from "../../machinery/schema/schema.js";
import { parseYaml } from "../../machinery/text/yaml/read.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { isProtobufDocument } from "../../machinery/wire/protobuf/envelope.js";
import { decodeObject } from "../../machinery/wire/strict-decode.js";
import { metaGroupSchema } from "../../server/endpoints/meta-kinds.js";
import { type StorageMediaType, STORAGE_MEDIA_TYPES } from "../../server/endpoints/serializers/serializer.js";
import { storageFormat } from "../../server/endpoints/serializers/index.js";
import { UnreadableValue } from "../../server/storage/kv.js";
import { StoredError } from "./stored-error.js";

const [JSON_TYPE, PROTOBUF_TYPE] = STORAGE_MEDIA_TYPES;

/** An object as it is stored. It has an apiVersion and a kind. */
export interface StoredValue {
  readonly mediaType: StorageMediaType | "application/yaml";
  readonly object: KubeObject;
}

/** Decodes a stored value: protobuf, JSON, or the YAML of a file. Throws a {@link StoredError} that says what the value is otherwise. */
export function decodeValue(bytes: Uint8Array): StoredValue {
  if (bytes instanceof UnreadableValue) throw new StoredError(bytes.problem);
  if (isProtobufDocument(bytes)) return { mediaType: PROTOBUF_TYPE, object: decodeProtobuf(bytes) };
  const text = readText(bytes);
  const isJson = /^\s*[{[]/.test(text);
  let value: JsonValue;
  try {
    value = isJson ? decodeJson(text).value : parseYaml(text);
  } catch (error) {
    const what = isJson ? "JSON that cannot be read" : `${looksLike(bytes)}, and cannot be read as YAML`;
    throw new StoredError(`the value is ${what}: ${errorMessage(error)}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw new StoredError(`the value is no object: it is ${looksLike(bytes)}`);
  }
  const object = value as KubeObject;
  for (const field of ["apiVersion", "kind"] as const) {
    if (typeof object[field] === "string" && object[field] !== "") continue;
    throw new StoredError(`the value is ${isJson ? "JSON" : "YAML"} without ${field}; a stored object says its kind`);
  }
  return { mediaType: isJson ? JSON_TYPE : "application/yaml", object };
}

/** Throws a {@link StoredError} where a field of a built-in kind has a value of the wrong type. */
export function requireFittingFields({ object, mediaType }: StoredValue): void {
  if (mediaType === PROTOBUF_TYPE) return;
  const { apiVersion = "", kind = "" } = object;
  const schema = schemaOf({ ...parseGroupVersion(apiVersion), kind });
  if (schema === undefined) return;
  try {
    decodeObject(object, schema);
  } catch (error) {
    throw new StoredError(errorMessage(error));
  }
}

/** Encodes an object in a form that it could be stored in. Throws a {@link StoredError} for a kind without numbers of its fields. */
export function encodeValue(object: KubeObject, mediaType: StorageMediaType): Uint8Array {
  const { apiVersion = "", kind = "" } = object;
  const schema = requireSchema({ ...parseGroupVersion(apiVersion), kind });
  const { object: typed } = decodeObject<KubeObject>(object, schema);
  return storageFormat(mediaType).encode(typed, schema);
}

function decodeProtobuf(bytes: Uint8Array): KubeObject {
  const { decode } = storageFormat(PROTOBUF_TYPE);
  try {
    return decode(bytes, requireSchema);
  } catch (error) {
    if (error instanceof StoredError) throw error;
    // etcdctl prints a newline behind the value.
    if (bytes.at(-1) === 0x0a) return decodeProtobuf(bytes.subarray(0, -1));
    throw new StoredError(`the value is protobuf that cannot be read: ${errorMessage(error)}`);
  }
}

function schemaOf(kind: GroupVersionKind): StructSchema | undefined {
  const scheme = allScheme();
  return scheme.isRegistered(kind) ? scheme.kind(kind).schema : metaGroupSchema(kind);
}

function requireSchema(kind: GroupVersionKind): StructSchema {
  const schema = schemaOf(kind);
  if (schema !== undefined) return schema;
  const { kind: name } = kind;
  throw new StoredError(
    `the value is protobuf of ${formatGroupVersion(kind)} ${name}, which is no kind of Kubernetes 1.36: the names of its fields are not known`,
  );
}

const ENCRYPTED = "k8s:enc:";

function readText(bytes: Uint8Array): string {
  if (bytes.length === 0) throw new StoredError("the value is empty");
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.startsWith(ENCRYPTED)) return text;
  const provider = inertText(text.slice(0, 80).split(":").slice(2, 5).join(":"));
  throw new StoredError(
    `the value is encrypted (${provider}): give the file with its key by --encryption-provider-config`,
  );
}

const SHOWN_BYTES = 16;

/** The value's beginning, for an error. */
function looksLike(bytes: Uint8Array): string {
  const head = Buffer.from(bytes.subarray(0, SHOWN_BYTES));
  const more = bytes.length > SHOWN_BYTES ? " ..." : "";
  const isText = [...head].every((byte) => byte >= 0x20 && byte < 0x7f);
  const shown = isText ? JSON.stringify(head.toString("latin1")) : (head.toString("hex").match(/../g) ?? []).join(" ");
  return `${bytes.length} bytes that begin with ${shown}${more}`;
}
