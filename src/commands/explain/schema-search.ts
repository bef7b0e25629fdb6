import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { typeName } from "./field-notes.js";
import { heldBy, partsOf, propertiesOf, SchemaDocument, textOf, sortedEntries } from "./schema-document.js";
import { append } from "../../base/collections/append.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { headingCells, unpainted } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import type { ExplainOptions } from "./explain.js";
import { kindSchema } from "./plaintext.js";
import { readRequest } from "./resource-request.js";

/** A field whose name or description contains the search word. */
export interface FoundField {
  /** "pods.spec.containers.image" */
  readonly path: string;
  /** "string", "[]Container" */
  readonly type: string;
  /** The first sentence of its description. */
  readonly summary: string;
  /** Whether its name holds the word; those come first. */
  readonly byName: boolean;
  /** How many steps lead to it. */
  readonly depth: number;
}

/** A kind to look through. */
export interface SearchedKind {
  readonly resource: GroupVersionResource;
  readonly schema: JsonObject;
  readonly document: SchemaDocument;
}

/**
 * Searches the fields of some kinds for a word: names before descriptions, short paths before long ones. A type that several kinds
 * share is searched once, at its shortest path; case does not matter.
 */
export function searchFields(kinds: readonly SearchedKind[], word: string): readonly FoundField[] {
  const wanted = word.toLowerCase();
  const found: FoundField[] = [];
  const seen = new Set<string>();
  let open: Place[] = kinds.map(({ resource, schema, document }) => ({
    path: resource.resource,
    schema,
    document,
    depth: 1,
  }));
  while (open.length > 0) {
    const next: Place[] = [];
    for (const place of open) {
      for (const [name, field] of fieldsOf(place, seen)) {
        const path = `${place.path}.${name}`;
        const description = describedBy(field, place.document);
        const byName = name.toLowerCase().includes(wanted);
        if (byName || description.toLowerCase().includes(wanted)) {
          const type = typeName(field, place.document);
          found.push({ path, type, summary: firstSentence(description), byName, depth: place.depth });
        }
        next.push({ ...place, path, schema: field, depth: place.depth + 1 });
      }
    }
    open = next;
  }
  return found.toSorted((a, b) => Number(b.byName) - Number(a.byName) || a.depth - b.depth);
}

interface Place {
  readonly path: string;
  readonly schema: JsonObject;
  readonly document: SchemaDocument;
  readonly depth: number;
}

/** The fields of a schema, of its parts, and of what it holds; none of a type that was looked through before. */
function fieldsOf(
  { schema, document }: Pick<Place, "schema" | "document">,
  seen: Set<string>,
): (readonly [string, JsonObject])[] {
  const reference = textOf(schema["$ref"]);
  if (reference !== undefined) {
    // Types of all groups and versions have full names, and custom kinds have no types beside their own.
    if (seen.has(reference)) return [];
    seen.add(reference);
  }
  const resolved = document.resolve(schema);
  const inner = [...partsOf(resolved), ...heldBy(resolved)].flatMap((one) => fieldsOf({ schema: one, document }, seen));
  return [...propertiesOf(resolved), ...inner];
}

/** What a field says of itself, or else what its type says. */
const describedBy = (field: JsonObject, document: SchemaDocument): string =>
  textOf(field["description"]) ?? textOf(document.resolve(partsOf(field)[0] ?? field)["description"]) ?? "";

const firstSentence = (text: string): string => /^.*?[.:](?=\s|$)/s.exec(text)?.[0].replaceAll(/\s+/g, " ") ?? text;

/** Lists the fields that match the search word, one per line. Throws an error where none matches. */
export async function printSearch(options: ExplainOptions): Promise<void> {
  const { request, search, mapper, out, look } = options;
  const kinds =
    request === "" ? await everyKind(options) : await oneKind(options, (await readRequest(request, mapper)).resource);
  const found = searchFields(kinds, search);
  if (found.length === 0) {
    throw new Error(
      `no field's name or description holds ${JSON.stringify(search)}${request === "" ? "" : ` in ${request}`}`,
    );
  }
  const writer = new TabWriter(out, { measure: look.measure, fit: look.fit });
  const { key, type: ofType } = look.paint ?? unpainted;
  writer.write.table?.({ names: [true, false, false], headed: true });
  writer.write(`${headingCells(look, ["FIELD", "TYPE", "DESCRIPTION"]).join("\t")}\n`);
  for (const { path, type, summary } of found) {
    writer.write(`${[key(path), ofType(`<${type}>`), summary].join("\t")}\n`);
  }
  writer.flush();
}

async function oneKind(
  { documents }: ExplainOptions,
  resource: GroupVersionResource,
): Promise<readonly SearchedKind[]> {
  const { group, version } = resource;
  const source = await documents();
  const url = (await source.paths()).get(group === "" ? `api/${version}` : `apis/${group}/${version}`);
  return url === undefined ? [] : kindOf(await source.document(url), resource);
}

/** Every kind at the version that the server prefers, the core group first. */
async function everyKind({ documents, mapper }: ExplainOptions): Promise<readonly SearchedKind[]> {
  const source = await documents();
  const kinds: SearchedKind[] = [];
  for (const [path, url] of await source.paths()) {
    const named = /^(?:api|apis\/(?<group>[^/]+))\/(?<version>[^/]+)$/.exec(path)?.groups;
    if (named?.["version"] === undefined) continue;
    const { group = "", version } = named;
    const root = await source.document(url);
    for (const resource of resourcesIn(root, { group, version })) {
      if (await isPreferred(resource, mapper)) append(kinds, kindOf(root, resource));
    }
  }
  return kinds;
}

function kindOf(root: JsonObject, resource: GroupVersionResource): readonly SearchedKind[] {
  const schema = kindSchema(root, resource);
  return schema === undefined ? [] : [{ resource, schema, document: new SchemaDocument(root) }];
}

/** The resources that a document has paths of, without subresources. */
function resourcesIn(
  root: JsonObject,
  { group, version }: { readonly group: string; readonly version: string },
): readonly GroupVersionResource[] {
  const base = `${group === "" ? "/api" : `/apis/${group}`}/${version}/`;
  const names = sortedEntries(root["paths"]).flatMap(([path]) => {
    if (!path.startsWith(base)) return [];
    const rest = path.slice(base.length).replace(/^namespaces\/\{namespace\}\//, "");
    return /^[^/]+$/.test(rest) ? [rest] : [];
  });
  return [...new Set(names)].map((resource) => ({ group, version, resource }));
}

async function isPreferred(resource: GroupVersionResource, mapper: RestMapper): Promise<boolean> {
  const preferred = await mapper.preferredResourceFor({ ...resource, version: "" }).catch(() => undefined);
  return preferred?.version === resource.version;
}
