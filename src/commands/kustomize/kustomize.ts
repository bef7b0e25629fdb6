import type { CommandFiles } from "../../base/files/command-files.js";
import { join, resolve } from "node:path";
import { pathComponent } from "../../base/files/path-component.js";
import { PathError } from "../../base/files/path-error.js";
import { buildNotes } from "../../cli/build-notes.js";
import { type Command, Directive, type Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { FlagSpec } from "../../component/flags/flag-set.js";
import type { Look } from "../../printers/look.js";
import { type BuildOptions, buildKustomization, localFiles, type Reorder } from "../../kustomize/build.js";
import type { ResourceList } from "../../kustomize/resource-list.js";

export interface KustomizeOptions {
  readonly path: string;
  /** A file, or a folder that gets a file for each object; "" for stdout. */
  readonly output: string;
  readonly cwd: string;
  readonly files: CommandFiles;
  readonly build: BuildOptions;
  readonly streams: Pick<Streams, "out">;
  readonly look: Look;
}

const NONE = "LoadRestrictionsNone";
const ROOT_ONLY = "LoadRestrictionsRootOnly";
const unused = (what: string): string => `Not used: ${what}`;

const flags: readonly FlagSpec[] = [
  {
    name: "output",
    short: "o",
    type: "string",
    usage: "File to write to, or a directory that gets a file for each object",
  },
  { name: "network", type: "bool", usage: unused("no functions are run") },
  { name: "network-name", type: "string", default: "bridge", usage: unused("no functions are run") },
  { name: "mount", type: "stringArray", usage: unused("no functions are run") },
  { name: "env", short: "e", type: "stringArray", usage: unused("no functions are run") },
  { name: "as-current-user", type: "bool", usage: unused("no functions are run") },
  {
    name: "load-restrictor",
    type: "string",
    default: ROOT_ONLY,
    usage: `With ${NONE} a kustomization may read files outside its directory`,
  },
  {
    name: "enable-alpha-plugins",
    type: "bool",
    usage: "Enables charts as --enable-helm does; only built-in plugins are run",
  },
  {
    name: "reorder",
    type: "string",
    default: "legacy",
    usage: "Order of the objects: legacy sorts them by kind, none leaves them as they come",
    deprecated: "use the new 'sortOptions' field in kustomization.yaml instead.",
  },
  {
    name: "enable-managedby-label",
    type: "bool",
    usage: "Label all objects with the program that made them",
    deprecated:
      "The flag `enable-managedby-label` has been deprecated. Use the `managedByLabel` option in the `buildMetadata` field instead.",
  },
  {
    name: "enable-helm",
    type: "bool",
    usage: "Check what charts are configured with; they are not rendered",
  },
  {
    name: "helm-command",
    type: "string",
    default: "helm",
    usage: "Must not be empty where charts are enabled, and is not run: charts are not rendered",
  },
  { name: "helm-api-versions", type: "stringArray", usage: unused("charts are not rendered") },
  { name: "helm-kube-version", type: "string", usage: unused("charts are not rendered") },
  { name: "helm-debug", type: "bool", usage: unused("charts are not rendered") },
];

export function kustomizeCommand(run = runKustomize): Command {
  return {
    use: "kustomize DIR [flags]",
    description: `Print the objects of a kustomization: what its kustomization.yaml takes from files and other kustomizations, changed as it says.

Without DIR the current directory is meant. No server is asked. Of generators, transformers and validators those that are built in (apiVersion: builtin) are run; programs, containers and charts are not.`,
    examples: `# Print what the kustomization of this directory makes
{{program}} kustomize

# The same for another directory, into a file
{{program}} kustomize overlays/production -o production.yaml`,
    flags,
    outputMustArrive: true,
    execute: async (factory, invocation) => run(complete(factory, invocation)),
    completeFlags: {
      "load-restrictor": async () => ({ candidates: [NONE, ROOT_ONLY], directive: Directive.NoFileComp }),
    },
  };
}

function complete(factory: Factory, { args, flags: given }: Invocation): KustomizeOptions {
  if (args.length > 1) throw new Error("specify one path to kustomization.yaml");
  const restrictor = given.string("load-restrictor");
  if (![NONE, ROOT_ONLY, ""].includes(restrictor)) {
    throw new Error(`illegal flag value --load-restrictor ${restrictor}; legal values: [${ROOT_ONLY} ${NONE}]`);
  }
  const reorder = given.string("reorder");
  if (reorder !== "legacy" && reorder !== "none") {
    throw new Error(`illegal flag value --reorder ${reorder}; legal values: [legacy none]`);
  }
  const chartsEnabled = given.bool("enable-helm") || given.bool("enable-alpha-plugins");
  const label = given.bool("enable-managedby-label") || factory.env["KUSTOMIZE_ENABLE_MANAGEDBY_LABEL"] === "on";
  return {
    path: args[0] ?? ".",
    output: given.string("output"),
    cwd: factory.cwd,
    files: factory.files,
    build: {
      files: localFiles(factory.cwd, factory.platform, factory.files),
      fetch: async (url) => (await import("../../cli/fetch-url.js")).fetchUrl(url, factory),
      unrestricted: restrictor === NONE,
      managedByLabel: label,
      helmCommand: chartsEnabled ? given.string("helm-command") : undefined,
      ...(given.changed("reorder") && { reorder: reorder satisfies Reorder }),
      ...buildNotes(factory.streams, factory.clock),
    },
    streams: factory.streams,
    look: factory.look,
  };
}

/** Builds the kustomization and writes it to `output`. */
export async function runKustomize({
  path,
  output,
  cwd,
  files,
  build,
  streams,
  look,
}: KustomizeOptions): Promise<void> {
  const list = await buildKustomization(path, build);
  const target = resolve(cwd, output);
  if (output === "") streams.out.write(look.paint?.yaml(list.toYaml()) ?? list.toYaml());
  else if (await isFolder(target, files)) writeFiles(list, output, { cwd, files });
  else write(output, { cwd, files }, list.toYaml());
}

const isFolder = (path: string, files: CommandFiles): Promise<boolean> =>
  files.stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

type Place = Pick<KustomizeOptions, "cwd" | "files">;

function writeFiles(list: ResourceList, folder: string, place: Place): void {
  for (const { name, text } of list.toFiles()) write(join(folder, pathComponent(name)), place, text);
}

function write(path: string, { cwd, files }: Place, text: string): void {
  try {
    files.writeFileSync(resolve(cwd, path), text);
  } catch (error) {
    throw new PathError("open", path, error);
  }
}
