import { type CommandFiles, machineFiles } from "../base/files/command-files.js";
import { ORIGIN, TRANSFORMATIONS } from "./annotations.js";
import { customMergeTypes } from "./configuration/custom-schema.js";
import type { Kustomization, SortOptions } from "./kustomization.js";
import { type BuildFetch, type BuildFiles, Loader } from "./loader.js";
import { builtInMergeTypes } from "./merge/merge-schema.js";
import { fixNameReferences } from "./name-references.js";
import { withoutAnnotation } from "./origin.js";
import type { ResourceList } from "./resource-list.js";
import { type BuildContext, KustTarget } from "./target.js";
import { addHashes } from "./transformers/hashes.js";
import { addEntries } from "./transformers/metadata-fields.js";
import { resolveVars } from "./vars.js";
import { DEFAULT_ORDER, gvkEquals, gvkKey, gvkText, type Rank, rankOf, type ResId } from "./id.js";

export interface BuildOptions {
  readonly files: BuildFiles;
  readonly fetch: BuildFetch;
  /** Files outside a kustomization's folder may be read. */
  readonly unrestricted?: boolean;
  /** Lines for people, such as what is deprecated. */
  readonly warn: (line: string) => void;
  /** What Go's log package would write, with the time before it. */
  readonly log: (text: string) => void;
  readonly managedByLabel?: boolean;
  /** The program that renders charts. Without it charts are refused as not enabled, with it as not rendered. */
  readonly helmCommand?: string | undefined;
  /** In which order the objects come where the kustomization does not say. Default: "legacy". */
  readonly reorder?: Reorder;
}

export type Reorder = "legacy" | "none";

const OPENAPI_VERSION = "v1.21.2";

/** Builds the kustomization in a folder: its objects, in the order they are to be applied. Throws in kustomize's words. */
export async function buildKustomization(path: string, options: BuildOptions): Promise<ResourceList> {
  const { files, fetch, unrestricted = false } = options;
  const loader = await Loader.open(path, { files, fetch, unrestricted });
  const context = contextOf(options);
  const target = await KustTarget.load(loader, context);
  const { kustomization } = target;
  await context.readSchema(kustomization, loader, true);
  const gathered = await target.accumulate();
  const { list, config } = gathered;
  addHashes(list);
  fixNameReferences(list, config.nameReference);
  const unused = resolveVars(list, gathered.vars, config.varReference);
  if (unused.length > 0) options.log(`well-defined vars that were never replaced: ${unused.join(",")}\n`);
  gathered.dropLocal();
  sort(list, kustomization.sortOptions, options);
  finish(list, kustomization.buildMetadata ?? [], options.managedByLabel === true);
  return list;
}

function sort(list: ResourceList, own: SortOptions | undefined, { reorder, log }: BuildOptions): void {
  if (own !== undefined && reorder !== undefined) {
    log(
      "Warning: Sorting order is set both in 'kustomization.yaml' ('sortOptions') and in a CLI flag ('--reorder'). Using the kustomization file over the CLI flag.\n",
    );
  }
  if (own !== undefined) sortResources(list, own);
  else if (reorder !== "none") sortResources(list, { order: "legacy" });
}

function contextOf({ warn, helmCommand }: BuildOptions): BuildContext {
  let isSet = false;
  const context: BuildContext = {
    warn,
    helmCommand,
    mergeTypes: builtInMergeTypes,
    readSchema: async ({ openapi = {} }: Kustomization, loader: Loader, isRoot: boolean) => {
      const schema = openapi["path"] === undefined ? undefined : await loader.load(openapi["path"]);
      if (isSet && !isRoot) return;
      const { version } = openapi;
      if (schema !== undefined) {
        if (version !== undefined) throw new Error("builtin version and custom schema provided, cannot use both");
        context.mergeTypes = customMergeTypes(schema);
        isSet = true;
      } else if (version !== undefined && version !== "") {
        if (version !== OPENAPI_VERSION) throw new Error("the specified OpenAPI version is not built in");
        isSet = true;
      }
    },
  };
  return context;
}

/** Takes off what was noted for the build, but for what `buildMetadata` asks for. */
function finish(list: ResourceList, metadata: readonly string[], managedByLabel: boolean): void {
  if (managedByLabel || metadata.includes("managedByLabel")) {
    const specs = [{ group: "", version: "", kind: "", path: "metadata/labels", create: true }];
    addEntries(list, { "app.kubernetes.io/managed-by": "kustomize-v5.8.1" }, specs);
  }
  for (const resource of list.resources) {
    resource.removeBuildAnnotations();
    if (!metadata.includes("originAnnotations")) withoutAnnotation(resource, ORIGIN);
    if (!metadata.includes("transformerAnnotations")) withoutAnnotation(resource, TRANSFORMATIONS);
  }
}

/** The files that a command line names; by default those of this machine. */
export const localFiles = (cwd: string, platform: NodeJS.Platform, files: CommandFiles = machineFiles): BuildFiles => ({
  cwd,
  platform,
  readFile: (path) => files.readFile(path),
  realpath: (path) => files.realpath(path),
  isDirectory: (path) =>
    files.stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    ),
});

/** Sorts objects as kustomize always did (namespaces first, webhooks last), or as the options state; "fifo" keeps the order. */
export function sortResources(list: ResourceList, options: SortOptions): void {
  const { order = "", legacySortOptions } = options;
  if (order !== "fifo" && order !== "legacy") {
    throw new Error("the field 'sortOptions.order' must be one of [fifo, legacy]");
  }
  if (order === "fifo") {
    if (legacySortOptions === undefined) return;
    throw new Error(
      "the field 'sortOptions.legacySortOptions' is set but the selected sort order is 'fifo', not 'legacy'",
    );
  }
  const { orderFirst = [], orderLast = [] } = legacySortOptions ?? DEFAULT_ORDER;
  const rank = rankOf({ orderFirst, orderLast });
  const sorted = list.resources.map((resource) => ({ resource, id: resource.id }));
  sorted.sort((a, b) => compare(a.id, b.id, rank));
  list.resources = [];
  list.appendAll(sorted.map(({ resource }) => resource));
}

function compare(a: ResId, b: ResId, rank: Rank): number {
  if (gvkEquals(a, b)) return byText(idKey(a), idKey(b));
  const [left, right] = [rank.get(a.kind) ?? 0, rank.get(b.kind) ?? 0];
  if (left !== right) return left - right;
  const turned = a.kind === "Namespace" && b.kind === "Namespace" && (a.group === "" || b.group === "");
  return turned ? byText(gvkKey(b), gvkKey(a)) : byText(gvkKey(a), gvkKey(b));
}

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const or = (text: string, none: string): string => (text === "" ? none : text);
const idKey = (id: ResId): string => `${gvkText(id)}|${or(id.namespace, "~X")}|${or(id.name, "~N")}`;
