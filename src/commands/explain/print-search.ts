import { append } from "../../base/collections/append.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { headingCells, unpainted } from "../../printers/look.js";
import { TabWriter } from "../../printers/tab-writer.js";
import type { ExplainOptions } from "./explain.js";
import { kindSchema } from "./plaintext.js";
import { readRequest } from "./resource-request.js";
import { sortedEntries, SchemaDocument } from "./schema-document.js";
import { type SearchedKind, searchFields } from "./search.js";

/** Lists the fields that a word is found in, a line each. Throws an error where there are none. */
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
