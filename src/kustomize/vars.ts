import { type FieldSpec, setFields, splitDottedPath } from "./field-spec.js";
import { lookup } from "./fields.js";
import { gvkText, idEquals, lookedUpId, nameAndKindEqual, noGvk, parseApiVersion } from "./id.js";
import { goV } from "../machinery/text/go/go-values.js";
import type { JsonValue } from "../machinery/meta/json.js";
import { parseFloatLiteral } from "../machinery/text/go/number-syntax.js";
import type { VarEntry } from "./kustomization.js";
import { isMissingOrNull, isString, type Node } from "./nodes/node.js";
import type { ResourceList } from "./resource-list.js";
import { toValue } from "./value.js";

/** A variable of the deprecated `vars`: its value is in a field of an object. */
export interface Var {
  readonly name: string;
  readonly apiVersion: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly objectName: string;
  readonly namespace: string;
  readonly fieldPath: string;
}

export function varOf({ name = "", objref = {}, fieldref = {} }: VarEntry): Var {
  const { apiVersion = "", kind = "", name: objectName = "", namespace = "" } = objref;
  const said = { group: objref.group ?? "", version: objref.version ?? "" };
  const parts = apiVersion.split("/");
  const read = parts.length === 2 ? parseApiVersion(apiVersion) : { ...said, version: apiVersion };
  const path = fieldref.fieldPath ?? "";
  return {
    name,
    apiVersion,
    ...(apiVersion === "" || parts.length > 2 ? said : read),
    kind,
    objectName,
    namespace,
    fieldPath: path === "" ? "metadata.name" : path,
  };
}

/** As Go's %v shows it. */
const varText = ({ name, group, version, kind, fieldPath }: Var): string =>
  `{${name} ${gvkText({ group, version, kind })} {${fieldPath}}}`;

/** The text of a variable's entry in a kustomization. */
export const varEntryText = ({ name = "", objref = {}, fieldref = {} }: VarEntry): string =>
  varText({ ...varOf({}), ...noGvk, ...objref, name, fieldPath: fieldref.fieldPath ?? "" });

/** Adds variables to the known ones, and records on objects which variables refer to them. */
export function addVars(list: ResourceList, vars: ReadonlyMap<string, Var>, more: readonly Var[]): Map<string, Var> {
  for (const one of more) {
    const id = lookedUpId(one, one.objectName, one.namespace);
    const exact = one.namespace !== "" || id.clusterScoped;
    const matches = list.withAnyId((other) => (exact ? idEquals(id, other) : nameAndKindEqual(id, other)));
    if (matches.length > 1) {
      throw new Error(`found ${matches.length} resId matches for var ${varText(one)} (unable to disambiguate)`);
    }
    matches[0]?.vars.push(one.name);
  }
  return mergeVars(vars, more);
}

export function mergeVars(vars: ReadonlyMap<string, Var>, more: Iterable<Var>): Map<string, Var> {
  const merged = new Map(vars);
  for (const one of more) {
    if (merged.has(one.name)) throw new Error(`var '${one.name}' already encountered`);
    merged.set(one.name, one);
  }
  return merged;
}

/** Replaces `$(NAME)` in the fields that the specs match. Returns the names of unused variables. */
export function resolveVars(
  list: ResourceList,
  vars: ReadonlyMap<string, Var>,
  specs: readonly FieldSpec[],
): readonly string[] {
  const values = new Map<string, JsonValue>();
  for (const name of [...vars.keys()].toSorted()) {
    const one = vars.get(name);
    if (one !== undefined) values.set(name, valueOf(list, one));
  }
  if (values.size === 0) return [];
  const used = new Set<string>();
  const value = (name: string): JsonValue => {
    const found = values.get(name);
    if (found === undefined || found === null || typeof found === "object") return `$(${name})`;
    used.add(name);
    return found;
  };
  for (const { node } of list.resources) {
    if (node === undefined) continue;
    for (const spec of specs) setFields(node, spec, { set: (found) => replaceIn(found, value) });
  }
  return [...values.keys()].filter((name) => !used.has(name));
}

function valueOf(list: ResourceList, one: Var): JsonValue {
  const resource = list.resources.find(({ vars }) => vars.includes(one.name));
  if (resource === undefined) {
    throw new Error(`var '${varText(one)}' cannot be mapped to a field in the set of known resources`);
  }
  const path = splitDottedPath(one.fieldPath).flatMap((part) => {
    const match = /^(.*)\[(\d+)\]$/.exec(part);
    return match === null ? [part] : [match[1] ?? "", match[2] ?? ""].filter((piece) => piece !== "");
  });
  const missing = new Error(`field specified in var '${varText(one)}' not found in corresponding resource`);
  try {
    const node = lookup(resource.node, path);
    if (node === undefined) throw missing;
    return node.kind === "scalar" ? scalarValue(node) : toValue(node);
  } catch {
    throw missing;
  }
}

function scalarValue({ tag, value }: Node): JsonValue {
  switch (tag) {
    case "!!int":
      if (/^[-+]?\d+$/.test(value)) return Number(value);
      throw new Error("no integer");
    case "!!float":
      return parseFloatLiteral(value) ?? value;
    case "!!bool":
      return /^t/i.test(value);
    default:
      return value;
  }
}

type Values = (name: string) => JsonValue;

function replaceIn(node: Node, value: Values): void {
  if (isMissingOrNull(node)) return;
  switch (node.kind) {
    case "scalar":
      if (isString(node)) update(node, expanded(node.value, value));
      return;
    case "mapping":
      for (const [key, held] of node.pairs) {
        if (!isString(key)) throw new Error(`invalid map key: value='${key.value}', tag='${key.tag}'`);
        if (isString(held)) update(held, expanded(held.value, value));
      }
      return;
    case "sequence":
      for (const item of node.items) {
        if (!isString(item)) throw new Error("invalid value type expect a string");
        update(item, expanded(item.value, value));
      }
      return;
    case "none":
      throw new Error("invalid type encountered 0");
  }
}

function update(node: Node, value: JsonValue): void {
  node.style = "";
  if (typeof value === "number") {
    node.value = Number.isInteger(value) ? String(value) : formatF(value);
    node.tag = Number.isInteger(value) ? "!!int" : "!!float";
  } else {
    node.value = goV(value);
    node.tag = typeof value === "boolean" ? "!!bool" : "!!str";
  }
}

/** A text that is nothing but one reference becomes the value itself; `$$` is a dollar sign. */
function expanded(text: string, value: Values): JsonValue {
  const whole = /^\$\(([^)]*)\)$/.exec(text)?.[1];
  if (whole !== undefined) return value(whole);
  // Behind the last bracket nothing refers to anything: a search for the end of each reference there would find none.
  const end = text.lastIndexOf(")") + 1;
  const referring = text
    .slice(0, end)
    .replaceAll(/\$(?:\$|\(([^)]*)\))/g, (_, name: string | undefined) =>
      name === undefined ? "$" : goV(value(name)),
    );
  return referring + text.slice(end).replaceAll("$$", () => "$");
}

/** strconv.FormatFloat(value, 'f', -1, 64): never an exponent. */
function formatF(value: number): string {
  const text = String(value);
  const match = /^(-?)(\d)(?:\.(\d+))?e([-+]\d+)$/.exec(text);
  if (match === null) return text;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  const digits = whole + fraction;
  const point = 1 + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  return `${sign}${digits.padEnd(point, "0").slice(0, point)}${digits.length > point ? `.${digits.slice(point)}` : ""}`;
}
