import { goQuote } from "../../base/text/go-quote.js";
import type { Steps } from "../../base/async/steps.js";
import { encodeString } from "../wire/json/json-encoder.js";
import { holdsMany } from "../meta/holds-many.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";
import { getOwn } from "../patch/json-values.js";
import type { FieldSet } from "./field-set.js";
import { parseFieldsV1, printFieldsV1, printFieldsV1Steps } from "./fields-v1.js";

export type ManagedFieldsOperation = "Apply" | "Update";

/** One entry of metadata.managedFields. */
export interface Manager {
  readonly name: string;
  readonly operation: ManagedFieldsOperation;
  readonly apiVersion: string;
  readonly subresource: string;
  /** RFC 3339. */
  readonly time?: string | undefined;
  readonly fields: FieldSet;
}

/** Managers by their {@link identifierOf}. */
export type Managers = Map<string, Manager>;

/** Returns the manager with other fields. It copies field by field, because every write makes managers. */
export function withFields(manager: Manager, fields: FieldSet, time = manager.time): Manager {
  const { name, operation, apiVersion, subresource } = manager;
  return { name, operation, apiVersion, subresource, time, fields };
}

type Identity = Pick<Manager, "name" | "operation" | "apiVersion" | "subresource">;

/**
 * Returns the identity of an entry: name, operation and subresource, and for updates the version. It is spelled as kube-apiserver spells it,
 * because entries are sorted by it.
 */
export function identifierOf({ name, operation, apiVersion, subresource }: Identity): string {
  const parts = [
    ...(name === "" ? [] : [`"manager":${encodeString(name)}`]),
    `"operation":"${operation}"`,
    ...(operation === "Apply" || apiVersion === "" ? [] : [`"apiVersion":${encodeString(apiVersion)}`]),
    ...(subresource === "" ? [] : [`"subresource":${encodeString(subresource)}`]),
  ];
  return `{${parts.join(",")}}`;
}

/**
 * Decodes metadata.managedFields. Throws an Error for an invalid entry. `stored` entries were written by {@link encodeManagers} and are not
 * checked.
 */
export function decodeManagers(entries: unknown, from: "request" | "stored"): Managers {
  const managers: Managers = new Map();
  if (!Array.isArray(entries)) return managers;
  for (const [index, entry] of entries.entries()) {
    const manager = decodeManager(isJsonObject(entry) ? entry : {}, index, from);
    managers.set(identifierOf(manager), manager);
  }
  return managers;
}

function decodeManager(entry: JsonObject, index: number, from: "request" | "stored"): Manager {
  const operation = textOf(entry, "operation");
  if (operation !== "Apply" && operation !== "Update") throw new Error("operation must be `Apply` or `Update`");
  const apiVersion = textOf(entry, "apiVersion");
  if (apiVersion === "") throw new Error("apiVersion must not be empty");
  const fieldsType = textOf(entry, "fieldsType");
  if (fieldsType === "") throw new Error(`missing fieldsType in managed fields entry ${index}`);
  if (fieldsType !== "FieldsV1") {
    throw new Error(`invalid fieldsType ${goQuote(fieldsType)} in managed fields entry ${index}`);
  }
  const fields = getOwn(entry, "fieldsV1");
  const time = textOf(entry, "time");
  return {
    name: textOf(entry, "manager"),
    operation,
    apiVersion,
    subresource: textOf(entry, "subresource"),
    time: time === "" ? undefined : time,
    fields: from === "stored" && isJsonObject(fields) ? (fields as FieldSet) : parseFieldsV1(fields),
  };
}

function textOf(entry: JsonObject, field: string): string {
  const value: JsonValue | undefined = getOwn(entry, field);
  return typeof value === "string" ? value : "";
}

/** Encodes managers as metadata.managedFields, sorted; undefined without managers. */
export function encodeManagers(managers: Managers): JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  return inOrder(managers).map((manager) => encodeManager(manager, printFieldsV1(manager.fields)));
}

/** {@link encodeManagers} in steps. */
export function* encodeManagersSteps(managers: Managers): Steps<JsonObject[] | undefined> {
  if (managers.size === 0) return undefined;
  const entries: JsonObject[] = [];
  for (const manager of inOrder(managers)) {
    const { fields } = manager;
    if (entries.length > 0) yield;
    const printed = holdsMany(fields) ? yield* printFieldsV1Steps(fields) : printFieldsV1(fields);
    entries.push(encodeManager(manager, printed));
  }
  return entries;
}

function inOrder(managers: Managers): Manager[] {
  const list = [...managers.values()];
  return list.length > 1 ? list.sort(compareManagers) : list;
}

function encodeManager({ name, operation, apiVersion, time, subresource }: Manager, printed: FieldSet): JsonObject {
  const entry: JsonObject = {};
  if (name !== "") entry["manager"] = name;
  entry["operation"] = operation;
  entry["apiVersion"] = apiVersion;
  if (time !== undefined) entry["time"] = time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = printed;
  if (subresource !== "") entry["subresource"] = subresource;
  return entry;
}

/** Converts a time to seconds since the epoch; an entry without a time counts as the oldest. */
export const secondsOf = (time: string | undefined): number =>
  time === undefined ? 0 : Math.floor(Date.parse(time) / 1000);

/** Appliers first, then by time, name, version and subresource. */
function compareManagers(a: Manager, b: Manager): number {
  return (
    compareText(a.operation, b.operation) ||
    (a.time === b.time ? 0 : secondsOf(a.time) - secondsOf(b.time)) ||
    compareText(a.name, b.name) ||
    compareText(a.apiVersion, b.apiVersion) ||
    compareText(a.subresource, b.subresource)
  );
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Returns whether the managedFields of a request reset all managers: an empty list, or a list of one empty entry. */
export function isReset(entries: unknown): boolean {
  if (!Array.isArray(entries)) return false;
  if (entries.length === 0) return true;
  const [first] = entries as unknown[];
  return (
    entries.length === 1 && isJsonObject(first) && Object.values(first).every((value) => value === "" || value === null)
  );
}

/** Compares two values, in steps or at once. */
export type Equal = (a: JsonValue, b: JsonValue) => Steps<boolean> | boolean;

/**
 * Returns the old managedFields when the new ones differ only in times and the change changed nothing else, so that the encoded object
 * equals the stored one and nothing is written. `sameObject` is called only when it matters. In steps.
 */
export function* withoutNewTimesSteps(
  before: readonly JsonObject[] | undefined,
  after: JsonObject[] | undefined,
  equal: Equal,
  sameObject: () => Steps<boolean> | boolean,
): Steps<JsonObject[] | undefined> {
  if (before === undefined || after === undefined || before.length !== after.length || after.length === 0) return after;
  const timesChanged = after.some((entry, index) => entry["time"] !== before[index]?.["time"]);
  if (!timesChanged) return after;
  for (const [index, entry] of after.entries()) {
    const found = equal(timeless(entry), timeless(before[index] ?? {}));
    if (!(typeof found === "boolean" ? found : yield* found)) return after;
  }
  const same = sameObject();
  return (typeof same === "boolean" ? same : yield* same) ? [...before] : after;
}

function timeless(entry: JsonObject): JsonValue {
  const { time: _, ...rest } = entry;
  return rest;
}
