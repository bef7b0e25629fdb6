import { errorMessage } from "../base/text/error-message.js";
import { goQuote } from "../base/text/go-quote.js";
import { type GroupVersion, parseGroupVersion } from "../machinery/meta/gvk.js";
import { isJsonObject, type JsonValue, type JsonObject } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { isNoMatchError, type RestMapper, type RestMapping } from "../machinery/rest-mapper.js";
import { sortedJson } from "./encode-json.js";
import type { Info } from "./info.js";
import { isList } from "./lists.js";

type Check = (value: JsonValue, path: string, owner: string) => void;

/**
 * Refuses an object whose type fields or metadata have the wrong JSON types, as kubectl does before it sends anything.
 * The message is Go's json package's.
 */
function checkMetadata(object: JsonObject): void {
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
function jsonType(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  if (isJsonObject(value)) return "object";
  return typeof value === "boolean" ? "bool" : typeof value === "string" ? "string" : "number";
}

/**
 * Makes Infos from the documents of sources. Throws in kubectl's words for a kind that the server lacks, and for a document that
 * is not an object.
 */
export class InfoMaker {
  /** Without a mapper kinds are taken as they are stated, and have a namespace where the object has one. */
  constructor(
    private readonly mapper: (() => Promise<RestMapper>) | undefined,
    /** What an object becomes once it is read; throws for one that cannot be read. */
    private readonly decoder?: (object: KubeObject) => KubeObject,
  ) {}

  /** `raw` is the document's own text when it was JSON. */
  async fromDocument(value: JsonValue, source: string, raw?: string): Promise<Info> {
    const object = await this.decode(value, source, raw);
    const gv = parseGroupVersion(object.apiVersion ?? "");
    const { name = "", namespace = "" } = object.metadata ?? {};
    const mapper = await this.mapper?.();
    try {
      return makeInfo(source, await mappingOf(object, gv, mapper), object);
    } catch (error) {
      const message = errorMessage(error);
      if (!isNoMatchError(error))
        throw new Error(`unable to recognize ${goQuote(source)}: ${message}`, { cause: error });
      throw new Error(
        `resource mapping not found for name: ${goQuote(name)} namespace: ${goQuote(namespace)} from ${goQuote(source)}: ${message}\nensure CRDs are installed first`,
        { cause: error },
      );
    }
  }

  /** For an item of a list. */
  async fromItem(object: KubeObject, source: string): Promise<Info> {
    if (this.decoder !== undefined) await requireStatedKind(object as JsonValue);
    const fault =
      (object.kind ?? "") === ""
        ? "Object 'Kind' is missing in 'object has no kind field '"
        : (object.apiVersion ?? "") === ""
          ? "Object 'apiVersion' is missing in 'object has no apiVersion field'"
          : undefined;
    if (fault !== undefined) {
      throw new Error(`unable to get type info from the object "*unstructured.Unstructured": ${fault}`);
    }
    const gv = parseGroupVersion(object.apiVersion ?? "");
    const mapper = await this.mapper?.();
    const mapping = await mappingOf(object, gv, mapper).catch((error: unknown) => {
      throw new Error(`unable to recognize ${errorMessage(error)}`, {
        cause: error,
      });
    });
    return makeInfo(source, mapping, this.decoder?.(object) ?? object);
  }

  private async decode(value: JsonValue, source: string, raw: string | undefined): Promise<KubeObject> {
    try {
      if (this.decoder !== undefined) await requireStatedKind(value, raw);
      const object = check(value, raw);
      return isList(object) ? object : (this.decoder?.(object) ?? object);
    } catch (error) {
      throw new Error(`unable to decode ${goQuote(source)}: ${(error as Error).message}`, { cause: error });
    }
  }
}

async function mappingOf(
  { kind = "", metadata }: KubeObject,
  { group, version }: GroupVersion,
  mapper: RestMapper | undefined,
): Promise<RestMapping> {
  if (mapper !== undefined) return mapper.mappingFor({ group, kind }, version);
  const namespaced = (metadata?.namespace ?? "") !== "";
  return { resource: { group, version, resource: "" }, kind: { group, version, kind }, namespaced };
}

function makeInfo(source: string, mapping: RestMapping, object: KubeObject): Info {
  const { name = "", namespace = "", resourceVersion = "" } = object.metadata ?? {};
  return { source, mapping, name, namespace, resourceVersion, object };
}

/** The decoder that fills Go's types chooses one by kind and version, before it reads anything else. */
async function requireStatedKind(value: JsonValue, raw?: string): Promise<void> {
  const { statedKind } = await import("../machinery/wire/stated-kind.js");
  const { kind, version } = statedKind(value);
  if (kind === "" || version === "") throw missing(kind === "" ? "Kind" : "apiVersion", value, raw);
}

const missing = (field: "Kind" | "apiVersion", value: JsonValue, raw: string | undefined): Error =>
  new Error(`Object '${field}' is missing in '${raw ?? sortedJson(value)}'`);

function check(value: JsonValue, raw: string | undefined): KubeObject {
  if (!isJsonObject(value)) {
    throw new Error(`json: cannot unmarshal ${jsonType(value)} into Go value of type unstructured.detector`);
  }
  const { items } = value;
  if (items !== undefined && items !== null && !Array.isArray(items)) {
    throw new Error(
      `json: cannot unmarshal ${jsonType(items)} into Go struct field decodeList.items of type []json.RawMessage`,
    );
  }
  for (const item of items ?? []) {
    if (item !== null && !isJsonObject(item)) {
      throw new Error(`json: cannot unmarshal ${jsonType(item)} into Go value of type map[string]interface {}`);
    }
  }
  if (!hasKind(value["kind"]) || !isGroupVersion(value["apiVersion"])) {
    throw missing("Kind", value, raw);
  }
  checkMetadata(value);
  return value;
}

const hasKind = (kind: JsonValue | undefined): boolean => typeof kind === "string" && kind !== "";

const isGroupVersion = (apiVersion: JsonValue | undefined): boolean =>
  typeof apiVersion !== "string" || apiVersion.split("/").length <= 2;
