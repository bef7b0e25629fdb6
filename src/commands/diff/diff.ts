import type { DiffFields } from "../../actions/diff/diff-object.js";
import { parsePruneKinds } from "../../actions/apply/prune.js";
import type { Command, Invocation } from "../../cli/command.js";
import { usageError } from "../../cli/errors.js";
import type { Factory } from "../../cli/connect/factory.js";
import type { Flags } from "../../cli/flags/flag-set.js";
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
import { klogWarning } from "../../client/klog.js";
import { type DiffOptions, runDiff } from "./run.js";

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
