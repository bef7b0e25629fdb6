import { withoutVersion, withVersion } from "../../actions/apply/version-lock.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readPrintRequest } from "../../cli/flags/print-flags.js";
import { readDryRun, recursiveFilenameFlags, withDryRun } from "../../cli/flags/resource-flags.js";
import {
  changeEach,
  type MetadataChangeOptions,
  metadataFlags,
  type Place,
  readMetadataChange,
  requireTargets,
  sendChange,
  staysHere,
} from "../../cli/metadata-changes.js";
import { type PairChanges, parsePairs, splitResourcesAndPairs } from "../../cli/pairs.js";
import { withChangeCause, CHANGE_CAUSE } from "../../polymorphic-helpers/change-cause.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { printerFor } from "../../printers/formats.js";
import type { Info } from "../../resource/info.js";
import { own } from "../../base/collections/own.js";

export interface AnnotateOptions extends MetadataChangeOptions {
  readonly changes: PairChanges;
  readonly print: (changed: { readonly object: KubeObject }) => void;
}

export function annotateCommand(run = runAnnotate): Command {
  return {
    use: "annotate [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    description: `Set and remove annotations of resources: KEY=VALUE sets one, KEY- removes it. A value may be any text, JSON too; tools
keep what they must remember there. An annotation that has another value is only changed with --overwrite.

"{{program}} api-resources" lists the types there are.`,
    examples: `# Annotate the pod "foo"; given twice, the last value counts
{{program}} annotate pods foo description='my frontend'

# The pod that pod.json names
{{program}} annotate -f pod.json description='my frontend'

# Whatever the annotation said before
{{program}} annotate --overwrite pods foo description='my frontend running nginx'

# All pods of the namespace
{{program}} annotate pods --all description='my frontend running nginx'

# Only if nobody changed it since version 1
{{program}} annotate pods foo description='my frontend running nginx' --resource-version=1

# Take the annotation "description" away
{{program}} annotate pods foo description-`,
    flags: metadataFlags(
      "annotate",
      "annotations",
      recursiveFilenameFlags("File, directory or URL with the resources"),
    ),
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<AnnotateOptions> {
  const { flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const { resources, pairs } = splitResourcesAndPairs(invocation.args, "annotation");
  const changes = parsePairs(pairs, "annotation", true);
  const list = flags.bool("list");
  if (list && flags.string("output") !== "") throw new Error("--list and --output may not be specified together");
  const targets = { resources, dryRun };
  requireTargets(invocation, targets, "rsrc");
  if (changes.set.size === 0 && changes.remove.length === 0 && !list) {
    throw new Error("at least one annotation update is required");
  }
  requireOneChangeEach(changes);
  const printer = printerFor(readPrintRequest(flags, factory), withDryRun("annotated", dryRun));
  return {
    ...readMetadataChange(factory, invocation, targets, await placeOf(factory)),
    changes,
    print: ({ object }) => printer.print(object, (text) => factory.streams.out.write(text)),
  };
}

const placeOf = (factory: Factory): Promise<Place> =>
  factory.namespace().catch((error: unknown) => {
    const fault = error instanceof Error ? error : new Error(String(error));
    return { namespace: "", enforced: false, fault };
  });

/** Annotates the objects one after the other, and continues after a failure. */
export async function runAnnotate(options: AnnotateOptions): Promise<void> {
  await changeEach(options, "annotations", async (info) => ({ object: await annotate(info, options) }));
}

async function annotate(info: Info, options: AnnotateOptions): Promise<KubeObject> {
  const { changes, overwrite, resourceVersion } = options;
  const held = info.object ?? {};
  const change = (object: KubeObject): KubeObject =>
    withVersion(changeAnnotations(object, changes, overwrite), resourceVersion);
  if (staysHere(options)) return change(held);
  const before = resourceVersion === "" ? held : withoutVersion(held);
  return sendChange(info, before, change(withChangeCause(before, options.cause)), options);
}

/** Throws when a key is to be set and removed. */
export function requireOneChangeEach({ set, remove }: PairChanges): void {
  const both = remove.filter((key) => set.has(key));
  if (both.length === 0) return;
  throw new Error(`can not both modify and remove the following annotation(s) in the same command: ${both.join(", ")}`);
}

/**
 * Returns a copy with the changed annotations, which are {} where none is left. Throws when an annotation has another value and must not be
 * overwritten.
 */
export function changeAnnotations(object: KubeObject, { set, remove }: PairChanges, overwrite: boolean): KubeObject {
  const before = object.metadata?.annotations ?? {};
  if (!overwrite) requireNoOverwrite(before, set);
  const annotations = { ...before, ...Object.fromEntries(set) };
  for (const key of remove) delete annotations[key];
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** Why something changed may always be said anew. */
function requireNoOverwrite(before: Readonly<Record<string, string>>, set: ReadonlyMap<string, string>): void {
  const found = [...set].flatMap(([key, value]) => {
    const held = own(before, key);
    if (key === CHANGE_CAUSE || held === undefined || held === value) return [];
    return [`'${key}' already has a value (${held})`];
  });
  if (found.length === 0) return;
  throw new Error(`--overwrite is false but found the following declared annotation(s): ${found.join("; ")}`);
}
