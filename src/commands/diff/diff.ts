import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DiffFields, diffObject, type DiffObjectOptions } from "../../actions/diff/diff-object.js";
import { parsePruneKinds, forEachPrunable, type PruneKind, Visited } from "../../actions/apply/prune.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError, silentExit } from "../../cli/errors.js";
import type { Factory, ProgramEnd } from "../../cli/connect/factory.js";
import type { Flags } from "../../component/flags/flag-set.js";
import {
  fieldManagerFlag,
  filenameFlags,
  readFilenames,
  requireFilenames,
  selectorFlag,
} from "../../cli/flags/resource-flags.js";
import {
  CLIENT_SIDE_MANAGER,
  PRUNE_NOTICE,
  pruneAllowlistFlag,
  readApplyManager,
  serverSideFlags,
} from "../../cli/flags/change-flags.js";
import { klogWarning } from "../../machinery/text/klog/klog.js";
import { errorMessage } from "../../base/text/error-message.js";
import { isSecret, withoutServerFields } from "../../actions/diff/hidden-fields.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { formatKind, type RestMapper } from "../../machinery/rest-mapper.js";
import type { Result } from "../../resource/builder.js";
import type { Info } from "../../resource/info.js";
import { goQuote } from "../../base/text/go-quote.js";
import { pathComponent } from "../../base/files/path-component.js";
import { PathError } from "../../base/files/path-error.js";
import { emitYaml } from "../../machinery/text/yaml/emit.js";
import { makeTempFolder, removeTemp } from "../../cli/editing/temp-files.js";

export function diffCommand(run = runDiff): Command {
  return {
    use: "diff -f FILENAME",
    description: `Show what apply would change: what the server holds and what it would hold are compared, as YAML. Nothing is kept.

The program in KUBECTL_EXTERNAL_DIFF compares, with the flags that stand behind it; by default it is "diff -u -N", and where there
is none, {{program}} itself.

Exit status: 0 when nothing differs, 1 when something does, more when something failed. A program of your own is expected to
do likewise.`,
    examples: `# What applying pod.json would change
{{program}} diff -f pod.json

# Only what the manifest is about
{{program}} diff -f pod.json --hide-server-fields

# What applying stdin would change
cat service.yaml | {{program}} diff -f -`,
    flags: [
      pruneAllowlistFlag,
      { name: "prune", type: "bool", usage: "Also show what apply --prune would delete" },
      { name: "show-managed-fields", type: "bool", usage: "Show managedFields as well" },
      { name: "show-secrets", type: "bool", usage: "Show the values of secrets instead of asterisks" },
      {
        name: "hide-server-fields",
        type: "bool",
        usage:
          "Leave out what no manifest sets: status, and in metadata uid, generation, resourceVersion, creationTimestamp, managedFields and what apply noted",
      },
      { name: "concurrency", type: "int", default: "1", usage: "How many files to work on at a time" },
      ...filenameFlags("File, directory or URL with the configurations to compare"),
      ...serverSideFlags,
      fieldManagerFlag(CLIENT_SIDE_MANAGER),
      selectorFlag,
    ],
    failureCode: 2,
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<DiffOptions> {
  const { args, flags } = invocation;
  const { streams } = factory;
  if (args.length > 0) throw usageError(invocation, `Unexpected args: [${args.join(" ")}]`);
  const files = readFilenames(flags);
  requireFilenames(files);
  if (flags.bool("hide-server-fields") && flags.bool("show-managed-fields")) {
    throw new Error("--show-managed-fields cannot be used with --hide-server-fields");
  }
  const serverSide = flags.bool("server-side");
  const forceConflicts = flags.bool("force-conflicts");
  if (forceConflicts && !serverSide) throw new Error("--force-conflicts only works with --server-side");
  await factory.clientConfig();
  const { namespace, enforced } = await factory.namespace();
  const selector = flags.string("selector");
  const warn = (text: string): void => void streams.err.write(text);
  const log = (source: string, text: string): void => warn(klogWarning(source, text, new Date(factory.clock.now())));
  return {
    find: async () => {
      const builder = await factory.builder();
      return builder
        .concurrency(flags.number("concurrency"))
        .namespaceParam(namespace)
        .defaultNamespace()
        .filenames(enforced, files)
        .labelSelector(selector)
        .flatten()
        .do();
    },
    client: factory.restClient,
    mapper: factory.mapper,
    comparing: {
      serverSide,
      forceConflicts,
      fieldManager: readApplyManager(flags),
      openapi: factory.openapi,
      showSecrets: flags.bool("show-secrets"),
      fields: readFields(flags),
    },
    prune: flags.bool("prune") ? await readPrune(factory, flags.strings("prune-allowlist"), selector) : undefined,
    warn,
    log,
    warnOfPruneDefault: () => log(PRUNE_NOTICE.source, PRUNE_NOTICE.text),
    host: factory,
  };
}

function readFields(flags: Flags): DiffFields {
  if (flags.bool("hide-server-fields")) return "manifest";
  return flags.bool("show-managed-fields") ? "all" : "unmanaged";
}

async function readPrune(
  { mapper }: Factory,
  texts: readonly string[],
  selector: string,
): Promise<DiffOptions["prune"]> {
  const kinds = texts.length === 0 ? [] : await parsePruneKinds(texts, await mapper());
  return { kinds, selector };
}

export interface DiffOptions {
  /** What would be applied. */
  readonly find: () => Promise<Result>;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly comparing: Omit<DiffObjectOptions, "client" | "object">;
  /** Present: also what --prune would delete. */
  readonly prune: { readonly kinds: readonly PruneKind[]; readonly selector: string } | undefined;
  readonly warn: (text: string) => void;
  /** As klog does: where in kubectl, and what. */
  readonly log: (source: string, text: string) => void;
  readonly warnOfPruneDefault: () => void;
  readonly host: Pick<Factory, "env" | "files" | "platform" | "random" | "runProgram" | "streams" | "look">;
}

/** Writes the live and the merged objects into two folders, and runs a program that compares them. */
export async function runDiff(options: DiffOptions): Promise<void> {
  const live = new VersionsFolder("LIVE", options.host);
  try {
    const merged = new VersionsFolder("MERGED", options.host);
    try {
      await writeVersions(live, merged, options);
      await showDifference(live.path, merged.path, options.host);
    } finally {
      merged.remove();
    }
  } finally {
    live.remove();
  }
}

async function writeVersions(live: VersionsFolder, merged: VersionsFolder, options: DiffOptions): Promise<void> {
  const visited = new Visited();
  const result = await options.find();
  const failure = await result
    .visit((info) => writeBoth(info, visited, live, merged, options))
    .then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  if (options.prune !== undefined) await writePruned(visited, live, options);
  if (failure !== undefined) throw failure.error;
}

/** Both versions of one object. */
async function writeBoth(
  info: Info,
  visited: Visited,
  live: VersionsFolder,
  merged: VersionsFolder,
  options: DiffOptions,
): Promise<void> {
  const { comparing, log, warn } = options;
  const client = { rest: await options.client(), mapper: await options.mapper() };
  let present: KubeObject | undefined;
  try {
    for await (const event of diffObject({ ...comparing, client, object: info })) {
      if (event.type === "read") {
        present = event.live;
        if (info.mapping.namespaced) visited.namespaces.add(info.namespace);
        visited.addUid(present);
      } else if (event.type === "keepsChanging") {
        log("diff.go:723", keepsChanging(info));
      } else if (event.type === "warning") {
        warn(`warning: ${event.message}\n`);
      } else {
        const masks = comparing.showSecrets !== true && isSecret(event.merged);
        // kubectl's masking makes a null of an object that is not there.
        await live.write(fileName(info), event.live ?? (masks ? null : undefined));
        await merged.write(fileName(info), event.merged);
      }
    }
  } finally {
    if (present?.metadata?.deletionTimestamp !== undefined) warn(beingDeleted(present));
  }
}

/** "apps.v1.Deployment.default.web" */
function fileName({ mapping: { kind }, namespace, name }: Info): string {
  return `${kind.group === "" ? "" : `${kind.group}.`}${kind.version}.${kind.kind}.${namespace}.${name}`;
}

async function writePruned(visited: Visited, live: VersionsFolder, options: DiffOptions): Promise<void> {
  const { prune, client, warnOfPruneDefault, log } = options;
  if (prune === undefined) return;
  const found: KubeObject[] = [];
  const { kinds, selector } = prune;
  const search = {
    client: await client(),
    mapper: await options.mapper(),
    kinds,
    selector,
    visited,
    warnOfDefault: warnOfPruneDefault,
  };
  await forEachPrunable(search, async ({ object }) => void found.push(object)).catch((error: unknown) => {
    const message = errorMessage(error);
    log("diff.go:760", `pruning failed and could not be evaluated err: ${message}`);
  });
  for (const object of found) {
    await live.write(
      prunedFileName(object),
      options.comparing.fields === "manifest" ? withoutServerFields(object) : object,
    );
  }
}

function prunedFileName({ apiVersion = "", kind = "", metadata }: KubeObject): string {
  const { group, version } = parseGroupVersion(apiVersion);
  const { namespace = "", name = "" } = metadata ?? {};
  return `${group === "" ? "" : `${group}.`}${version}.${kind}.${namespace}.${name}`;
}

const keepsChanging = ({ mapping, name }: Info): string =>
  `Object (${formatKind(mapping.kind)}: ${name}) keeps changing, diffing without lock`;

const beingDeleted = (object: KubeObject): string =>
  `Warning: Detected changes to resource ${object.metadata?.name ?? ""} which is currently being deleted.\n`;

export interface DiffProgram {
  readonly file: string;
  readonly args: readonly string[];
  /** The user did not choose it: when it is not there, {@link compareFolders} stands in. */
  readonly isDefault: boolean;
}

/** What KUBECTL_EXTERNAL_DIFF says; of its words only those of letters, digits, `-` and `=` are passed on. */
function diffProgram(chosen: string | undefined, from: string, to: string): DiffProgram {
  if (chosen === undefined || chosen === "") return { file: "diff", args: ["-u", "-N", from, to], isDefault: true };
  const [file = "", ...flags] = chosen.split(" ");
  return { file, args: [from, to, ...flags.filter((flag) => /^[a-zA-Z0-9-=]+$/.test(flag))], isDefault: false };
}

/** Shows how two folders differ. Throws a silent exit with 1 when they do, and an error when the program fails. */
async function showDifference(
  from: string,
  to: string,
  { env, runProgram, streams, look: { paint } }: Pick<Factory, "env" | "runProgram" | "streams" | "look">,
): Promise<void> {
  const { file, args, isDefault } = diffProgram(env["KUBECTL_EXTERNAL_DIFF"], from, to);
  const compare = async (): Promise<ProgramEnd> => {
    const { compareFolders } = await import("./compare-folders.js");
    const text = await compareFolders(from, to);
    if (text !== "") streams.out.write(paint?.diff(text) ?? text);
    return { code: text === "" ? 0 : 1 };
  };
  // Not every diff knows colours; a program that the user chose sees for itself where it writes.
  const end =
    isDefault && paint !== undefined
      ? await compare()
      : await runProgram(file, args).catch(() => {
          if (isDefault) return compare();
          throw new Error(`failed to run ${goQuote(file)}: executable file not found in $PATH`);
        });
  if (end.code > 1) throw new Error(`failed to run ${goQuote(file)}: exit status ${end.code}`);
  if (end.code !== 0) throw silentExit(1);
}

/** A temporary folder with one version of each object, a file an object. */
export class VersionsFolder {
  readonly path: string;

  constructor(
    name: "LIVE" | "MERGED",
    private readonly host: Pick<Factory, "env" | "files" | "platform" | "random">,
  ) {
    this.path = makeTempFolder(`${name}-`, host);
  }

  /** `name` may hold words of the server. undefined makes an empty file, null one that says so. */
  async write(name: string, object: KubeObject | null | undefined): Promise<void> {
    const text = object === undefined ? "" : emitYaml(object);
    const path = join(this.path, pathComponent(name));
    await writeFile(path, text, { mode: 0o700 }).catch((error: unknown) => {
      throw new PathError("open", path, error);
    });
  }

  remove(): void {
    removeTemp(this.path, this.host);
  }
}
