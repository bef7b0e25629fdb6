import { isJsonObject, type JsonObject, type JsonValue } from "../machinery/meta/json.js";
import { goQuote } from "../base/text/go-quote.js";

type Check = (value: JsonValue, path: string, owner: string) => void;

/**
 * Refuses an object whose type fields or metadata have the wrong JSON types, as kubectl does before it sends anything.
 * The message is Go's json package's.
 */
export function checkMetadata(object: JsonObject): void {
  checkField(object, "kind", string, "TypeMeta.", "metadataOnlyObject");
  checkField(object, "apiVersion", string, "TypeMeta.", "metadataOnlyObject");
  const { metadata } = object;
  if (metadata === undefined || metadata === null) return;
  if (!isJsonObject(metadata)) throw mismatch(metadata, "metadataOnlyObject.metadata", "v1.ObjectMeta");
  for (const [name, check] of Object.entries(OBJECT_META)) checkField(metadata, name, check, "metadata.", "ObjectMeta");
}

function checkField(object: JsonObject, name: string, check: Check, prefix: string, owner: string): void {
  if (!Object.hasOwn(object, name)) return;
  const value = object[name];
  if (value !== null && value !== undefined) check(value, `${prefix}${name}`, owner);
}

const scalar =
  (type: string, accepts: (value: JsonValue) => boolean): Check =>
  (value, path, owner) => {
    if (!accepts(value)) throw mismatch(value, `${owner}.${path}`, type);
  };

const string = scalar("string", (value) => typeof value === "string");
const bool = scalar("bool", (value) => typeof value === "boolean");
const int64 = scalar("int64", (value) => typeof value === "bigint" || Number.isInteger(value));

const listOf =
  (type: string, item: Check): Check =>
  (value, path, owner) => {
    if (!Array.isArray(value)) throw mismatch(value, `${owner}.${path}`, type);
    for (const element of value) if (element !== null) item(element, path, owner);
  };

const mapOfStrings: Check = (value, path, owner) => {
  if (!isJsonObject(value)) throw mismatch(value, `${owner}.${path}`, "map[string]string");
  for (const item of Object.values(value)) if (item !== null) string(item, path, owner);
};

const struct =
  (name: string, fields: Readonly<Record<string, Check>>): Check =>
  (value, path, owner) => {
    if (!isJsonObject(value)) throw mismatch(value, `${owner}.${path}`, `v1.${name}`);
    for (const [field, check] of Object.entries(fields)) checkField(value, field, check, `${path}.`, name);
  };

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const time: Check = (value) => {
  if (typeof value !== "string")
    throw new Error(`json: cannot unmarshal ${jsonType(value)} into Go value of type string`);
  if (!RFC_3339.test(value)) {
    throw new Error(
      `parsing time ${goQuote(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${goQuote(value)} as "2006"`,
    );
  }
};

const OWNER_REFERENCE = struct("OwnerReference", {
  apiVersion: string,
  kind: string,
  name: string,
  uid: string,
  controller: bool,
  blockOwnerDeletion: bool,
});

const MANAGED_FIELDS = struct("ManagedFieldsEntry", {
  manager: string,
  operation: string,
  apiVersion: string,
  time,
  fieldsType: string,
  subresource: string,
});

const OBJECT_META: Readonly<Record<string, Check>> = {
  name: string,
  generateName: string,
  namespace: string,
  selfLink: string,
  uid: string,
  resourceVersion: string,
  generation: int64,
  creationTimestamp: time,
  deletionTimestamp: time,
  deletionGracePeriodSeconds: int64,
  labels: mapOfStrings,
  annotations: mapOfStrings,
  ownerReferences: listOf("[]v1.OwnerReference", OWNER_REFERENCE),
  finalizers: listOf("[]string", string),
  managedFields: listOf("[]v1.ManagedFieldsEntry", MANAGED_FIELDS),
};

const mismatch = (value: JsonValue, field: string, type: string): Error =>
  new Error(`json: cannot unmarshal ${jsonType(value)} into Go struct field ${field} of type ${type}`);

/** What Go calls the type of a JSON value in such errors. */
export function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
}
