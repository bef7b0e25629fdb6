import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type JsonObject, type JsonValue } from "../../machinery/meta/json.js";
import type { JsonSchema } from "./schemas.js";
import type { OpenApiV2Document } from "./v2.js";

/** The OpenAPI document of another server, and the path prefixes for which it is used. */
export interface MergedDocument {
  readonly below: readonly string[];
  readonly document: JsonObject;
}

const REFERENCE = "#/definitions/";

/**
 * Merges the paths of other servers' documents, and the definitions that they need, into the own document. A definition that
 * differs between documents gets a name of its own: "<name>_v2", "<name>_v3", as kube-aggregator names it.
 */
export function mergeOpenApiV2(own: OpenApiV2Document, others: readonly MergedDocument[]): OpenApiV2Document {
  const paths: Record<string, JsonSchema> = { ...own.paths };
  const definitions: Record<string, JsonSchema> = { ...own.definitions };
  for (const { below, document } of others) {
    const all = fieldsOf(document["paths"]);
    const added = Object.entries(all).filter(
      ([path]) => !Object.hasOwn(paths, path) && below.some((root) => path === root || path.startsWith(`${root}/`)),
    );
    const theirs = fieldsOf(document["definitions"]);
    const names = reachable(added, theirs);
    const renamed = namesFor(names, theirs, definitions);
    const rewrite = (value: JsonValue): JsonValue => withReferences(value, (name) => renamed.get(name) ?? name);
    for (const name of names) definitions[renamed.get(name) ?? name] ??= rewrite(theirs[name] ?? {}) as JsonSchema;
    for (const [path, item] of added) paths[path] = rewrite(item) as JsonSchema;
  }
  return { ...own, paths, definitions };
}

const fieldsOf = (value: JsonValue | undefined): JsonObject => (isJsonObject(value) ? value : {});

/** The definitions that values refer to, and those that these refer to. */
function reachable(values: readonly (readonly [string, JsonValue])[], definitions: JsonObject): readonly string[] {
  const found = new Set<string>();
  const waiting: JsonValue[] = values.map(([, value]) => value);
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    eachReference(value, (name) => {
      const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
      if (found.has(name) || definition === undefined) return;
      found.add(name);
      waiting.push(definition);
    });
  }
  return [...found];
}

/** New names of those definitions that are others in `taken`. */
function namesFor(
  names: readonly string[],
  theirs: JsonObject,
  taken: Readonly<Record<string, JsonSchema>>,
): ReadonlyMap<string, string> {
  const renamed = new Map<string, string>();
  const used = new Set(names);
  for (const name of names) {
    const there = Object.hasOwn(taken, name) ? taken[name] : undefined;
    if (there === undefined || isDeepStrictEqual(withoutTexts(there as JsonValue), withoutTexts(theirs[name] ?? {})))
      continue;
    let number = 2;
    while (Object.hasOwn(taken, `${name}_v${number}`) || used.has(`${name}_v${number}`)) number++;
    renamed.set(name, `${name}_v${number}`);
    used.add(`${name}_v${number}`);
  }
  return renamed;
}

/** Two versions of one library describe a type in other words. What it is has not changed by that. */
function withoutTexts(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([name, field]) =>
      !(name === "description" && typeof field === "string") && name !== "x-kubernetes-group-version-kind",
  );
  return Object.fromEntries(kept.map(([name, field]) => [name, withoutTexts(field ?? null)]));
}

function eachReference(value: JsonValue, visit: (name: string) => void): void {
  if (Array.isArray(value)) for (const one of value) eachReference(one, visit);
  if (!isJsonObject(value)) return;
  for (const [name, field] of Object.entries(value)) {
    if (name === "$ref" && typeof field === "string" && field.startsWith(REFERENCE))
      visit(field.slice(REFERENCE.length));
    else if (field !== undefined) eachReference(field, visit);
  }
}

function withReferences(value: JsonValue, rename: (name: string) => string): JsonValue {
  if (Array.isArray(value)) return value.map((one) => withReferences(one, rename));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isReference = name === "$ref" && typeof field === "string" && field.startsWith(REFERENCE);
      if (isReference) return [name, REFERENCE + rename(field.slice(REFERENCE.length))];
      return [name, withReferences(field ?? null, rename)];
    }),
  );
}
