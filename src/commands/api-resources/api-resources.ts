import { GroupDiscoveryFailedError } from "../../client/discovery/cached-discovery.js";
import type { Discovery } from "../../client/discovery/discovery.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import { type Look, headingCells, rowCells, tableColumns } from "../../printers/look.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { ApiResource } from "../../machinery/rest-mapper.js";
import { noCompatiblePrinter } from "../../printers/formats.js";
import { preferredResources } from "../../actions/preferred-resources.js";
import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { formatGroupVersion } from "../../machinery/meta/gvk.js";
import { formatGroupResource } from "../../machinery/errors/status-error.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { emitKyaml } from "../../machinery/text/yaml/kyaml.js";
import { TabWriter } from "../../printers/tab-writer.js";

export interface ApiResourcesOptions {
  readonly format: ApiResourcesFormat;
  readonly noHeaders: boolean;
  readonly sortBy: "" | "name" | "kind";
  /** undefined: of every group. */
  readonly apiGroup: string | undefined;
  /** undefined: both. */
  readonly namespaced: boolean | undefined;
  /** A resource must have all of them. */
  readonly verbs: readonly string[];
  readonly categories: readonly string[];
  /** Answers from the disk cache are good enough. */
  readonly cached: boolean;
  readonly discovery: Discovery;
  readonly look: Look;
}

const FORMATS = ["json", "yaml", "kyaml", "name", "wide"];

export function apiResourcesCommand(run = runApiResources): Command {
  return {
    use: "api-resources [flags]",
    description: "Show the types of resources the server has, each in the version it prefers.",
    examples: `# Every type
{{program}} api-resources

# With the verbs and categories of each
{{program}} api-resources -o wide

# In the order of their names
{{program}} api-resources --sort-by=name

# Those that live in a namespace, and those that do not
{{program}} api-resources --namespaced=true
{{program}} api-resources --namespaced=false

# Those of one API group
{{program}} api-resources --api-group=rbac.authorization.k8s.io`,
    flags: [
      { name: "api-group", type: "string", usage: "Only types of this API group; an empty one is the core group" },
      { name: "cached", type: "bool", usage: "Answer from the cache on disk where it is still good" },
      { name: "categories", type: "stringSlice", usage: "Only types that belong to all of these categories" },
      {
        name: "namespaced",
        type: "bool",
        default: "true",
        usage: "Only types that live in a namespace, or with =false only the others",
      },
      { name: "no-headers", type: "bool", usage: "Leave the line of headings out" },
      { name: "output", short: "o", type: "string", usage: "Output format. One of: (json, yaml, kyaml, name, wide)." },
      { name: "show-managed-fields", type: "bool", usage: "Keep managedFields in JSON and YAML; types have none" },
      { name: "sort-by", type: "string", usage: "Order by 'name' or 'kind' instead of by group" },
      { name: "verbs", type: "stringSlice", usage: "Only types that support all of these verbs" },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation), factory.streams),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<ApiResourcesOptions> {
  const { args, flags } = invocation;
  if (args.length > 0) throw usageError(invocation, `unexpected arguments: [${args.join(" ")}]`);
  const discovery = await factory.discovery();
  const output = flags.string("output");
  const format = formatOf(output);
  if (format === undefined) throw noCompatiblePrinter(output, FORMATS);
  const sortBy = flags.string("sort-by");
  if (sortBy !== "" && sortBy !== "name" && sortBy !== "kind") throw new Error("--sort-by accepts only name or kind");
  return {
    format,
    noHeaders: flags.bool("no-headers"),
    sortBy,
    apiGroup: flags.changed("api-group") ? flags.string("api-group") : undefined,
    namespaced: flags.changed("namespaced") ? flags.bool("namespaced") : undefined,
    verbs: flags.strings("verbs"),
    categories: flags.strings("categories"),
    cached: flags.bool("cached"),
    discovery,
    look: factory.look,
  };
}

function formatOf(output: string): ApiResourcesFormat | undefined {
  if (output === "" || output === "wide" || output === "name") return output;
  const lower = output.toLowerCase();
  return lower === "json" || lower === "yaml" || lower === "kyaml" ? lower : undefined;
}

/** Prints the resources that discovery could read, then throws the errors of the others. */
export async function runApiResources(options: ApiResourcesOptions, { out }: Streams): Promise<void> {
  const { discovery } = options;
  if (!options.cached) discovery.invalidate();
  const groups = await discovery.groups();
  const { resources, failed } = await discovery.resources();
  if (resources.length > 0) {
    const chosen = preferredResources(groups, resources).filter((resource) => isWanted(resource, options));
    printApiResources(chosen.sort(comparer(options.sortBy)), options, (text) => void out.write(text));
  }
  if (failed.size > 0) throw new GroupDiscoveryFailedError(failed);
}

function isWanted(resource: ApiResource, { apiGroup, namespaced, verbs, categories }: ApiResourcesOptions): boolean {
  if (resource.verbs.length === 0) return false;
  if (apiGroup !== undefined && apiGroup !== resource.group) return false;
  if (namespaced !== undefined && namespaced !== resource.namespaced) return false;
  return (
    verbs.every((verb) => resource.verbs.includes(verb)) &&
    categories.every((category) => resource.categories.includes(category))
  );
}

function comparer(sortBy: ApiResourcesOptions["sortBy"]): (a: ApiResource, b: ApiResource) => number {
  const field = sortBy === "" ? "group" : sortBy;
  return (a, b) => compare(a[field], b[field]) || compare(a.name, b.name);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export type ApiResourcesFormat = "" | "wide" | "name" | "json" | "yaml" | "kyaml";

export interface ApiResourcesPrint {
  readonly format: ApiResourcesFormat;
  readonly noHeaders: boolean;
  readonly look: Look;
}

export function printApiResources(
  resources: readonly ApiResource[],
  { format, noHeaders, look }: ApiResourcesPrint,
  out: (text: string) => void,
): void {
  const { paint } = look;
  const document = (text: string, colour: ((text: string) => string) | undefined): void => out(colour?.(text) ?? text);
  switch (format) {
    case "json":
      return document(`${encodeJson(listOf(resources), { indent: 4 })}\n`, paint?.json);
    case "yaml":
      return document(emitYaml(listOf(resources)), paint?.yaml);
    case "kyaml":
      return document(emitKyaml(listOf(resources), { inGivenOrder: true }), paint?.kyaml);
    case "name":
      return out(resources.map(({ group, name }) => `${formatGroupResource({ group, resource: name })}\n`).join(""));
    case "":
    case "wide":
      return printColumns(resources, format === "wide", noHeaders, look, out);
  }
}

function printColumns(
  resources: readonly ApiResource[],
  wide: boolean,
  noHeaders: boolean,
  look: Look,
  out: (text: string) => void,
): void {
  const writer = new TabWriter(out, { measure: look.measure, fit: look.fit });
  const headings = ["NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND", ...(wide ? ["VERBS", "CATEGORIES"] : [])];
  writer.write.table?.(tableColumns(headings, !noHeaders));
  if (!noHeaders) writer.write(`${headingCells(look, headings).join("\t")}\n`);
  for (const resource of resources) {
    const cells = [
      resource.name,
      resource.shortNames.join(","),
      formatGroupVersion(resource),
      String(resource.namespaced),
      resource.kind,
    ];
    if (wide) cells.push(resource.verbs.join(","), resource.categories.join(","));
    writer.write(`${rowCells(look, headings, cells).join("\t")}\n`);
  }
  writer.flush();
}

/** meta/v1's APIResourceList, in its fields' own order. */
function listOf(resources: readonly ApiResource[]): object {
  return {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "",
    resources: resources.length === 0 ? null : resources.map(wire),
  };
}

function wire({
  name,
  singularName,
  namespaced,
  group,
  version,
  kind,
  verbs,
  shortNames,
  categories,
}: ApiResource): object {
  return {
    name,
    singularName,
    namespaced,
    ...(group !== "" && { group }),
    version,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
  };
}
