import { append } from "../../../base/collections/append.js";
import {
  type FieldError,
  forbiddenField,
  invalidValue,
  required,
  tooLong,
} from "../../../machinery/errors/field-error.js";
import { object, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { configMapKeyErrors } from "../../../machinery/validation/names.js";
import type { ConfigMap, Secret } from "../../types/core/v1.js";
import { immutable, named, sameValue } from "../rules.js";

const MAX_BYTES = 1024 * 1024;

export function validateConfigMap(configMap: ReceivedObject<ConfigMap>): FieldError[] {
  const [data, binary] = [object(configMap.data), object(configMap.binaryData)];
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    append(errors, named(key, `data[${key}]`, configMapKeyErrors));
    if (Object.hasOwn(binary, key))
      errors.push(invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData"));
    size += Buffer.byteLength(text(value));
  }
  for (const [key, value] of Object.entries(binary)) {
    append(errors, named(key, `binaryData[${key}]`, configMapKeyErrors));
    size += Buffer.byteLength(text(value), "base64");
  }
  // The whole object is at fault, and Kubernetes prints its empty path as "[]".
  if (size > MAX_BYTES) errors.push(tooLong("[]", MAX_BYTES));
  return errors;
}

export function validateConfigMapUpdate(
  configMap: ReceivedObject<ConfigMap>,
  old: ReceivedObject<ConfigMap>,
): FieldError[] {
  return validateFrozen(configMap, old, {
    data: [configMap.data, old.data],
    binaryData: [configMap.binaryData, old.binaryData],
  } satisfies Frozen<ConfigMap>);
}

/** Keys that a type of secret must have. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

export function validateSecret(secret: ReceivedObject<Secret>): FieldError[] {
  const data = object(secret.data);
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    append(errors, named(key, `data[${key}]`, configMapKeyErrors));
    size += Buffer.byteLength(text(value), "base64");
  }
  if (size > MAX_BYTES) errors.push(tooLong("data", MAX_BYTES));
  return [...errors, ...validateSecretType(secret, data)];
}

function validateSecretType(secret: ReceivedObject<Secret>, data: Received<Record<string, string>>): FieldError[] {
  const type = text(secret.type);
  if (type === "kubernetes.io/service-account-token") {
    const account = secret.metadata?.annotations?.["kubernetes.io/service-account.name"] ?? "";
    return account === "" ? [required("metadata.annotations[kubernetes.io/service-account.name]")] : [];
  }
  if (type === "kubernetes.io/basic-auth") {
    if (Object.hasOwn(data, "username") || Object.hasOwn(data, "password")) return [];
    return [required("data[username]"), required("data[password]")];
  }
  const keys = Object.hasOwn(REQUIRED_KEYS, type) ? (REQUIRED_KEYS[type] ?? []) : [];
  const missing = (key: string) => !Object.hasOwn(data, key) || (key === "ssh-privatekey" && data[key] === "");
  const errors = keys.filter(missing).map((key) => required(`data[${key}]`));
  for (const key of keys.filter((candidate) => candidate.startsWith(".docker") && Object.hasOwn(data, candidate))) {
    const problem = jsonObjectProblem(Buffer.from(text(data[key]), "base64").toString());
    if (problem !== undefined) errors.push(invalidValue(`data[${key}]`, "<secret contents redacted>", problem));
  }
  return errors;
}

const STARTS_VALUE = /[{[\]"\-0-9tfn]/;

const goQuoteRune = (character: string): string => (character === "'" ? "'\\''" : `'${character}'`);

/** What Go's decoder says of a text that is no JSON object; undefined for one that is. */
function jsonObjectProblem(json: string): string | undefined {
  try {
    const value: unknown = JSON.parse(json);
    const kind = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    if (kind === "object") return undefined;
    return `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`;
  } catch {
    const first = json.trimStart().charAt(0);
    if (first === "") return "unexpected end of JSON input";
    return STARTS_VALUE.test(first)
      ? "invalid character in JSON"
      : `invalid character ${goQuoteRune(first)} looking for beginning of value`;
  }
}

export function validateSecretUpdate(secret: ReceivedObject<Secret>, old: ReceivedObject<Secret>): FieldError[] {
  return [
    ...immutable(secret.type, old.type, "type"),
    ...validateFrozen(secret, old, { data: [secret.data, old.data] } satisfies Frozen<Secret>),
  ];
}

type OrAbsentMap = Received<Record<string, string>> | null | undefined;

/** Fields of a kind that cannot change, now and before. */
type Frozen<T> = { readonly [Field in keyof T]?: readonly [now: OrAbsentMap, before: OrAbsentMap] };

const FROZEN = "field is immutable when `immutable` is set";

function validateFrozen(
  object_: ReceivedObject<ConfigMap | Secret>,
  old: ReceivedObject<ConfigMap | Secret>,
  maps: Readonly<Record<string, readonly [now: OrAbsentMap, before: OrAbsentMap]>>,
): FieldError[] {
  if (old.immutable !== true) return [];
  const errors = object_.immutable === true ? [] : [forbiddenField("immutable", FROZEN)];
  return [
    ...errors,
    ...Object.entries(maps)
      .filter(([, [now, before]]) => !sameValue(object(now), object(before)))
      .map(([field]) => forbiddenField(field, FROZEN)),
  ];
}
