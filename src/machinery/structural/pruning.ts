import { isFields } from "../meta/access.js";
import type { JsonValue } from "../meta/json.js";
import { compareKeys } from "../../base/collections/key-order.js";
import type { StructuralSchema } from "./structural-schema.js";

export interface PruneOptions {
  /** The value is a whole object: its apiVersion, kind and metadata stay, whatever the schema says of them. */
  readonly isResourceRoot: boolean;
}

/**
 * Removes the fields that the schema does not specify, in place, but for those below x-kubernetes-preserve-unknown-fields and the
 * metadata of embedded resources. Returns the paths of what it removed ("spec.ports[0].foo", as `unknown field "..."` has them),
 * sorted. Source: apiextensions' pruning.PruneWithOptions.
 */
export function prune(value: JsonValue, schema: StructuralSchema, { isResourceRoot }: PruneOptions): string[] {
  const removed: string[] = [];
  if (schema.preservesAll) return removed;
  if (isResourceRoot || schema.embeddedResource) pruneFields(value, schema, { path: "", isResource: true, removed });
  else pruneValue(value, schema, "", removed);
  return removed.sort(compareKeys);
}

const META_FIELDS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);

function pruneValue(value: JsonValue, schema: StructuralSchema | undefined, path: string, removed: string[]): void {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) {
    pruneFields(value, schema, { path, isResource: schema?.embeddedResource === true, removed });
  } else if (schema?.preservesUnknownFields === true) {
    pruneKeptItems(value, schema.items, path, removed);
  } else if (schema?.items === undefined) {
    // Items that nothing specifies lose their fields, and scalars stay.
    for (const [index, item] of value.entries()) pruneValue(item, undefined, `${path}[${index}]`, removed);
  } else {
    const { items } = schema;
    for (const [index, item] of value.entries()) pruneValue(item, items, `${path}[${index}]`, removed);
  }
}

/** Items of a list whose unknown fields are kept: theirs are kept too. */
function pruneKeptItems(
  value: readonly JsonValue[],
  items: StructuralSchema | undefined,
  path: string,
  removed: string[],
): void {
  if (items === undefined) return;
  for (const [index, item] of value.entries()) {
    const at = `${path}[${index}]`;
    if (Array.isArray(item)) pruneKeptItems(item, items.items, at, removed);
    else if (isFields(item)) {
      pruneFields(item, items, { path: at, isResource: items.embeddedResource, removed, keepsUnknown: true });
    }
  }
}

interface Place {
  readonly path: string;
  /** Its apiVersion, kind and metadata stay. */
  readonly isResource: boolean;
  readonly removed: string[];
  readonly keepsUnknown?: boolean;
}

function pruneFields(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  { path, isResource, removed, keepsUnknown = schema?.preservesUnknownFields === true }: Place,
): void {
  if (!isFields(value)) {
    if (Array.isArray(value)) pruneValue(value, schema, path, removed);
    return;
  }
  const others = schema?.additionalProperties;
  // Nothing is specified, and everything is kept.
  if (keepsUnknown && others === undefined && schema?.properties.size === 0) return;
  const inOthers = typeof others === "object" ? others : undefined;
  for (const name of Object.keys(value)) {
    if (isResource && META_FIELDS.has(name)) continue;
    const property = schema?.properties.get(name);
    const held = value[name] as JsonValue;
    const isScalar = typeof held !== "object" || held === null;
    if (isScalar && (property !== undefined || others !== undefined || keepsUnknown)) continue;
    const at = path === "" ? name : `${path}.${name}`;
    if (property !== undefined) pruneValue(held, property, at, removed);
    else if (others !== undefined) pruneValue(held, inOthers, at, removed);
    else if (!keepsUnknown) {
      delete value[name];
      // A root that is no resource has these by being an object.
      if (path !== "" || !META_FIELDS.has(name)) removed.push(at);
    }
  }
}
