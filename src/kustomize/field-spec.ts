import { errorMessage } from "../base/text/error-message.js";
import { field, lookup } from "./fields.js";
import { type Gvk, idText, isSelected, parseApiVersion, type ResId } from "./id.js";
import type { Node, NodeKind } from "./nodes/node.js";

/** A field of some kinds: "spec/template/spec/containers[]/image". */
export interface FieldSpec extends Gvk {
  readonly path: string;
  /** What is missing on the way is made. */
  readonly create: boolean;
}

/** Adds the field specs that no earlier one covers. Throws where two differ in whether they create missing fields. */
export function mergeSpecs(specs: readonly FieldSpec[], more: readonly FieldSpec[]): readonly FieldSpec[] {
  const merged = [...specs];
  for (const spec of more) {
    const same = merged.find((other) => isSelected(other, spec) && other.path === spec.path);
    if (same === undefined) merged.push(spec);
    else if (same.create !== spec.create) throw new Error("conflicting fieldspecs");
  }
  return merged;
}

export interface FieldSetting {
  readonly set: (node: Node) => void;
  /** Of what kind the field is made; without one nothing is made. */
  readonly create?: { readonly kind: NodeKind; readonly tag: string };
}

/** Calls `set` with each field of an object that the spec matches. An error names the field and the object. */
export function setFields(object: Node, spec: FieldSpec, setting: FieldSetting): void {
  const { group, version } = parseApiVersion(object.get("apiVersion")?.value ?? "");
  const kind = object.get("kind")?.value ?? "";
  if (!isSelected({ group, version, kind }, spec)) return;
  try {
    follow(object, splitPath(spec.path, "/"), spec, setting);
  } catch (error) {
    const metadata = object.get("metadata");
    const name = metadata?.get("name")?.value ?? "";
    const namespace = metadata?.get("namespace")?.value ?? "";
    const id: ResId = { group, version, kind, name, namespace, clusterScoped: false };
    throw wrap(error, `considering field '${spec.path}' of object ${idText(id)}`);
  }
}

function follow(node: Node, path: readonly string[], spec: FieldSpec, setting: FieldSetting): void {
  if (path.length === 0) {
    setting.set(node);
    return;
  }
  if (node.tag === "!!null") return;
  switch (node.kind) {
    case "sequence":
      try {
        for (const item of node.items) follow(item, path, spec, setting);
      } catch (error) {
        throw wrap(error, `visit traversal on path: [${path.join(" ")}]`);
      }
      return;
    case "mapping":
      followMember(node, path, spec, setting);
      return;
    case "scalar":
    case "none":
      throw new Error("expected sequence or mapping node");
  }
}

function followMember(
  node: Node,
  [part = "", ...rest]: readonly string[],
  spec: FieldSpec,
  setting: FieldSetting,
): void {
  const isList = part.endsWith("[]");
  const name = isList ? part.slice(0, -2) : part;
  if (name === "") throw new Error("cannot set or create an empty field name");
  const made = spec.create && !isList ? setting.create : undefined;
  const wanted =
    made === undefined
      ? { kind: isList ? ("sequence" as const) : undefined, tag: "" }
      : rest.length === 0
        ? made
        : { kind: "mapping" as const, tag: "!!map" };
  const found = within(`fieldName: ${name}`, () =>
    made === undefined ? existing(node, name) : lookup(node, [name], wanted.kind),
  );
  if (found === undefined) return;
  if (found.tag === "!!null" && wanted.kind !== undefined) {
    found.kind = wanted.kind;
    found.tag = wanted.tag;
    if (wanted.kind !== "scalar") found.value = "";
  }
  follow(found, rest, spec, setting);
}

function existing(node: Node, name: string): Node | undefined {
  return /^[-+]?\d+$|^-$|^\*$|^\[.*\]$/.test(name) ? lookup(node, [name]) : field(node, name.trim());
}

/** Splits a path at the delimiters that are not escaped by a backslash. A delimiter at the beginning is ignored. */
export function splitPath(path: string, delimiter: string): readonly string[] {
  const parts = path.split(delimiter);
  if (parts.length > 1 && parts[0] === "") parts.shift();
  const joined: string[] = [parts[0] ?? ""];
  for (const part of parts.slice(1)) {
    const last = joined.at(-1) ?? "";
    if (last.endsWith("\\")) joined[joined.length - 1] = `${last.slice(0, -1)}${delimiter}${part}`;
    else joined.push(part);
  }
  return joined;
}

/** As {@link splitPath}, at dots. Text in brackets is one part; the brackets are removed unless it holds a value. */
export function splitDottedPath(path: string): readonly string[] {
  const split = splitPath(path, ".");
  const parts: string[] = [];
  for (let index = 0; index < split.length; index++) {
    const part = split[index] ?? "";
    if (!part.startsWith("[") || part.endsWith("]")) {
      parts.push(part);
      continue;
    }
    const bracketed = [part];
    while (index < split.length - 1) {
      index++;
      const next = split[index] ?? "";
      bracketed.push(next);
      if (next.endsWith("]")) break;
    }
    const whole = bracketed.join(".");
    parts.push(whole.includes("=") ? whole : withoutBrackets(whole));
  }
  return parts;
}

/** Prefixes the message of an error, which becomes the cause. */
export const wrap = (error: unknown, prefix: string): Error =>
  new Error(`${prefix}: ${errorMessage(error)}`, { cause: error });

export function within<T>(prefix: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw wrap(error, prefix);
  }
}

/** Finds an error of the class `type`: the error itself or one that it wraps. */
export function causedBy<T>(error: unknown, type: new (...args: never[]) => T): T | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof type) return at;
  return undefined;
}

/** Without the brackets at both ends, in one pass. */
function withoutBrackets(part: string): string {
  let end = part.length;
  while (end > 0 && "[]".includes(part[end - 1] as string)) end--;
  return part.slice(0, end).replace(/^[[\]]+/, "");
}
