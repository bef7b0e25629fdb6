import type { FieldsOf } from "../../../machinery/meta/received.js";
import crypto from "node:crypto";
import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { formatGroupVersion } from "../../../machinery/meta/gvk.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { ApiObject, KubeObject, ObjectMeta } from "../../../machinery/meta/object.js";
import { struct } from "../../../machinery/schema/build-schema.js";
import type { Schema, StructSchema } from "../../../machinery/schema/schema.js";
import type { VersionedKind } from "../../../machinery/scheme/scheme.js";
import { setKey } from "../../../machinery/wire/json/own-keys.js";
import { decodeObject } from "../../../machinery/wire/strict-decode.js";
import type { GroupResource } from "../../../machinery/errors/status-error.js";
import type { ObjectCodec } from "../../storage/store.js";
import { pathSegmentErrors } from "../metadata.js";
import { RecentAnswers } from "./recent-answers.js";

/** Thrown when a user's code has returned an invalid object; the message names the field. */
export class WrongAnswerError extends Error {
  override readonly name = "WrongAnswerError";

  constructor(field: string, problem: string) {
    super(field === "" ? problem : `${field}: ${problem}`);
  }
}

/** An object that code of a user has returned, checked and copied. */
export interface CheckedObject {
  /** "<namespace>/<name>" or "<name>". */
  readonly key: string;
  /** In the shape of the storage version, with defaults, and without resourceVersion. */
  readonly object: KubeObject;
  /** The object as it would be stored. */
  readonly bytes: Uint8Array;
  /** The source's own version; undefined where it gives none. */
  readonly version: string | undefined;
}

/** The requirements for a returned object. */
export interface Expected {
  /** Undefined where any name will do. */
  readonly name?: string | undefined;
  /** "" for all namespaces and for cluster-scoped objects. */
  readonly namespace: string;
}

export interface AnswerCheckConfig {
  readonly resource: GroupResource;
  readonly namespaced: boolean;
  /** The storage version. */
  readonly hub: VersionedKind;
  readonly codec: ObjectCodec;
  /** Milliseconds since the epoch, for defaults. */
  readonly now: () => number;
}

/** Checks the objects that a user's code returns, and completes missing fields. */
export class AnswerCheck {
  readonly #recent = new RecentAnswers();

  constructor(private readonly config: AnswerCheckConfig) {}

  /** Throws a {@link WrongAnswerError}. The answer shares nothing with `given`, and is shared by all who ask. */
  check(given: unknown, expected: Expected): CheckedObject {
    const key = this.#likelyKey(given, expected);
    return (key === undefined ? undefined : this.#recent.find(key, given)) ?? this.#checked(given, expected);
  }

  /** The key of an object that is in its place; undefined for any other, which is checked in full. */
  #likelyKey(given: unknown, { name, namespace }: Expected): string | undefined {
    const { metadata } = (given ?? {}) as { readonly metadata?: ObjectMeta };
    const own = metadata?.name;
    if (typeof own !== "string" || (name !== undefined && own !== name)) return undefined;
    if (!this.config.namespaced) return own;
    const at = metadata?.namespace ?? namespace;
    return at === "" || (namespace !== "" && at !== namespace) ? undefined : `${at}/${own}`;
  }

  #checked(given: unknown, { name, namespace }: Expected): CheckedObject {
    const { hub, codec, now } = this.config;
    if (typeof given !== "object" || given === null || Array.isArray(given)) {
      throw new WrongAnswerError("", `the answer is ${nameOfValue(given)}, not an object`);
    }
    const plain = plainCopy(given, "", 0) as JsonObject;
    const { kind } = hub.gvk;
    const apiVersion = formatGroupVersion(hub.gvk);
    expectText(plain, "apiVersion", apiVersion);
    expectText(plain, "kind", kind);
    const object = this.#decode({ ...plain, apiVersion, kind } satisfies FieldsOf<ApiObject>);
    const metadata = (object.metadata ??= {});
    this.#checkPlace(metadata, name, namespace);
    const version = takeVersion(metadata);
    hub.applyDefaults(object, now());
    const key = (metadata.namespace ?? "") === "" ? (metadata.name ?? "") : `${metadata.namespace}/${metadata.name}`;
    if ((metadata.uid ?? "") === "") metadata.uid = this.#uidOf(key);
    const checked = { key, object, bytes: codec.encode(object), version };
    this.#recent.keep(plain, checked);
    return checked;
  }

  #decode(plain: JsonObject): KubeObject {
    const { schema } = this.config.hub;
    try {
      return decodeObject<KubeObject>(plain, schema, { mode: "Ignore", sharesNothing: true }).object;
    } catch (error) {
      throw new WrongAnswerError(faultyField(plain, schema), errorMessage(error));
    }
  }

  #checkPlace(metadata: ObjectMeta, wanted: string | undefined, namespace: string): void {
    const { name = "" } = metadata;
    if (name === "") throw new WrongAnswerError("metadata.name", "is missing");
    if (wanted !== undefined && name !== wanted) {
      throw new WrongAnswerError("metadata.name", `is ${goQuote(name)}, not ${goQuote(wanted)}`);
    }
    const [problem] = pathSegmentErrors(name);
    if (problem !== undefined) throw new WrongAnswerError("metadata.name", `is ${goQuote(name)}, which ${problem}`);
    const own = metadata.namespace ?? "";
    if (!this.config.namespaced) {
      if (own !== "") throw new WrongAnswerError("metadata.namespace", "is set, and the resource is cluster-scoped");
      return;
    }
    if (own === "" && namespace === "") throw new WrongAnswerError("metadata.namespace", "is missing");
    if (own !== "" && namespace !== "" && own !== namespace) {
      throw new WrongAnswerError("metadata.namespace", `is ${goQuote(own)}, not ${goQuote(namespace)}`);
    }
    const [wrong] = pathSegmentErrors(own);
    if (wrong !== undefined) throw new WrongAnswerError("metadata.namespace", `is ${goQuote(own)}, which ${wrong}`);
    metadata.namespace = own === "" ? namespace : own;
  }

  #uidOf(key: string): string {
    const { group, resource } = this.config.resource;
    const digits = sha1(`${group}/${resource}/${key}`);
    const variant = ((Number.parseInt(digits.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-5${digits.slice(13, 16)}-${variant}${digits.slice(18, 20)}-${digits.slice(20, 32)}`;
  }
}

/** Derives a version from content: a number of 52 bits, never 0. */
export const versionOfContent = (bytes: Uint8Array): number => Number.parseInt(sha1(bytes).slice(0, 13), 16) || 1;

/** In hexadecimal digits. Makes no Hash object where the runtime can do without: one costs more than the digest. */
const sha1 = (data: Uint8Array | string): string =>
  typeof crypto.hash === "function" ? crypto.hash("sha1", data) : crypto.createHash("sha1").update(data).digest("hex");

function expectText(plain: JsonObject, field: "apiVersion" | "kind", wanted: string): void {
  const given = plain[field];
  if (given === undefined || given === null || given === "" || given === wanted) return;
  const shown = typeof given === "string" ? goQuote(given) : nameOfValue(given);
  throw new WrongAnswerError(field, `is ${shown}, not ${goQuote(wanted)}`);
}

/** Removes the version and returns it. It is a number, as clients compare it. */
function takeVersion(metadata: ObjectMeta): string | undefined {
  const { resourceVersion } = metadata;
  delete metadata.resourceVersion;
  if (resourceVersion === undefined || resourceVersion === "") return undefined;
  const isVersion = /^[1-9][0-9]{0,15}$/.test(resourceVersion) && Number.isSafeInteger(Number(resourceVersion));
  if (isVersion) return resourceVersion;
  throw new WrongAnswerError(
    "metadata.resourceVersion",
    `is ${goQuote(resourceVersion)}, not a decimal number from 1 to 2^53-1; leave it out where there is none`,
  );
}

/** Deeper than any object nests that a client may send. */
const MAX_DEPTH = 1000;

/** Copies a value of JSON; fields that are undefined are left out. Throws a {@link WrongAnswerError} that names any other value. */
function plainCopy(value: unknown, path: string, depth: number): JsonValue {
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  if (typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value))) return value;
  if (typeof value !== "object") throw new WrongAnswerError(path, `is ${nameOfValue(value)}, which is not JSON`);
  if (depth > MAX_DEPTH) throw new WrongAnswerError(path.slice(0, 100), "is nested too deeply, or holds itself");
  if (Array.isArray(value)) return value.map((item, index) => plainCopy(item, `${path}[${index}]`, depth + 1));
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new WrongAnswerError(path, `is ${nameOfValue(value)}, not a plain object`);
  }
  const copy: JsonObject = {};
  for (const [key, item] of Object.entries(value)) {
    if (item !== undefined) setKey(copy, key, plainCopy(item, path === "" ? key : `${path}.${key}`, depth + 1));
  }
  return copy;
}

/** Describes a value's type for messages: "an array", "a number". */
export function nameOfValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return `an object of the class ${value.constructor?.name ?? "Object"}`;
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return `a ${typeof value}`;
}

/** The path of the first field that cannot be decoded. */
function faultyField(value: JsonValue | undefined, schema: Schema): string {
  if (value === undefined || value === null || typeof value !== "object") return "";
  if (Array.isArray(value)) {
    if (schema.type !== "list") return "";
    const index = value.findIndex((item) => !decodes([item], { type: "list", items: schema.items }));
    return index < 0 ? "" : `[${index}]${continued(value[index], schema.items)}`;
  }
  const schemaOf = (key: string): Schema | undefined => {
    if (schema.type === "map") return schema.values;
    return schema.type === "struct" ? schema.byName.get(key)?.schema : undefined;
  };
  for (const [key, item] of Object.entries(value)) {
    const own = schemaOf(key);
    if (own === undefined || decodes({ [key]: item }, schema)) continue;
    return `${key}${continued(item, own)}`;
  }
  return "";
}

function continued(value: JsonValue | undefined, schema: Schema): string {
  const rest = faultyField(value, schema);
  return rest === "" || rest.startsWith("[") ? rest : `.${rest}`;
}

/** Whether a part of an object can be decoded by its schema. */
function decodes(value: JsonValue, schema: Schema): boolean {
  const whole: StructSchema = schema.type === "struct" ? schema : structAround(schema);
  try {
    decodeObject(schema.type === "struct" ? value : { value }, whole, { mode: "Ignore" });
    return true;
  } catch {
    return false;
  }
}

const structAround = (schema: Schema): StructSchema => struct("Part", { value: schema });
