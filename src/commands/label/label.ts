import { withoutVersion, withVersion } from "../../actions/apply/version-lock.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeTypesAndNames } from "../../cli/completion/resource-completers.js";
import type { Factory } from "../../cli/connect/factory.js";
import { readPrintRequest } from "../../cli/flags/print-flags.js";
import { readDryRun, withDryRun } from "../../cli/flags/resource-flags.js";
import {
  changeEach,
  type MetadataChangeOptions,
  metadataFlags,
  readMetadataChange,
  requireTargets,
  sendChange,
  staysHere,
} from "../../cli/metadata-changes.js";
import { splitResourcesAndPairs } from "../../cli/pairs.js";
import { withChangeCause } from "../../polymorphic-helpers/change-cause.js";
import { printerFor } from "../../printers/formats.js";
import type { Info } from "../../resource/info.js";
import { own } from "../../base/collections/own.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { labelValueErrors } from "../../machinery/validation/names.js";
import { aggregate } from "../../resource/visitor.js";

export interface LabelOptions extends MetadataChangeOptions {
  readonly changes: LabelChanges;
  readonly print: (changed: ChangedLabels) => void;
}

export function labelCommand(run = runLabel): Command {
  return {
    use: "label [--overwrite] (-f FILENAME | TYPE NAME) KEY_1=VAL_1 ... KEY_N=VAL_N [--resource-version=version]",
    description: `Set and remove labels of resources: KEY=VALUE sets one, KEY- removes it. Keys and values are letters, digits, hyphens,
dots and underscores, up to 63 of them; a key may begin with a DNS name and a slash, such as example.com/tier. A label
that has another value is only changed with --overwrite.`,
    examples: `# Label the pod "foo"
{{program}} label pods foo unhealthy=true

# Whatever its label "status" said before
{{program}} label --overwrite pods foo status=unhealthy

# All pods of the namespace
{{program}} label pods --all status=unhealthy

# The pod that pod.json names
{{program}} label -f pod.json status=unhealthy

# Only if nobody changed it since version 1
{{program}} label pods foo status=unhealthy --resource-version=1

# Take the label "bar" off
{{program}} label pods foo bar-`,
    flags: metadataFlags("label", "labels"),
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeTypesAndNames,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<LabelOptions> {
  const { flags } = invocation;
  const dryRun = readDryRun(flags, factory);
  const { resources, pairs } = splitResourcesAndPairs(invocation.args, "label");
  const changes = parseLabels(pairs);
  const list = flags.bool("list");
  if (list && flags.string("output") !== "") throw new Error("--list and --output may not be specified together");
  const place = await factory.namespace();
  const targets = { resources, dryRun };
  requireTargets(invocation, targets, "pod");
  if (changes.set.size === 0 && changes.remove.length === 0 && !list) {
    throw new Error("at least one label update is required");
  }
  return {
    ...readMetadataChange(factory, invocation, targets, place),
    changes,
    print: ({ object, operation }) =>
      printerFor(readPrintRequest(flags, factory), withDryRun(operation, dryRun)).print(object, (text) =>
        factory.streams.out.write(text),
      ),
  };
}

/** Labels the objects one after the other, and continues after a failure. */
export async function runLabel(options: LabelOptions): Promise<void> {
  await changeEach(options, "labels", (info) => label(info, options));
}

async function label(info: Info, options: LabelOptions): Promise<ChangedLabels> {
  const { changes, overwrite, resourceVersion, streams } = options;
  const before = resourceVersion === "" ? (info.object ?? {}) : withoutVersion(info.object ?? {});
  const stays = staysHere(options);
  if (!stays) {
    for (const key of changes.remove.filter((name) => !Object.hasOwn(before.metadata?.labels ?? {}, name))) {
      streams.out.write(`label ${goQuote(key)} not found.\n`);
    }
  }
  const { object: changed, operation } = changeLabels(before, changes, overwrite);
  const object = withVersion(changed, resourceVersion);
  if (stays) return { object, operation };
  const recorded = withChangeCause(object, options.cause);
  if (operation !== "not labeled") await sendChange(info, before, recorded, options);
  return { object: recorded, operation };
}

export interface LabelChanges {
  readonly set: ReadonlyMap<string, string>;
  readonly remove: readonly string[];
}

/** Reads `KEY=VALUE` and `KEY-`. */
export function parseLabels(pairs: readonly string[]): LabelChanges {
  const set = new Map<string, string>();
  const remove: string[] = [];
  for (const pair of pairs) {
    if (pair.includes("=")) {
      const [key = "", value = "", ...more] = pair.split("=");
      if (more.length > 0) throw new Error(`invalid label spec: ${pair}`);
      const faults = labelValueErrors(value);
      if (faults.length > 0) throw new Error(`invalid label value: ${goQuote(pair)}: ${faults.join(";")}`);
      set.set(key, value);
    } else if (pair.endsWith("-")) {
      remove.push(pair.slice(0, -1));
    } else {
      throw new Error(`unknown label spec: ${pair}`);
    }
  }
  if (remove.some((key) => set.has(key))) {
    throw new Error("can not both modify and remove a label in the same command");
  }
  return { set, remove };
}

export interface ChangedLabels {
  /** A copy; always with labels, if only with none. */
  readonly object: KubeObject;
  /** What to call that; "not labeled" when nothing changed. */
  readonly operation: "not labeled" | "labeled" | "unlabeled" | "modified";
}

/** Throws when a label has another value and must not be overwritten. */
export function changeLabels(object: KubeObject, { set, remove }: LabelChanges, overwrite: boolean): ChangedLabels {
  const before = object.metadata?.labels ?? {};
  if (!overwrite) requireNoOverwrite(before, set);
  const added = [...set].some(([key, value]) => own(before, key) !== value);
  const removed = remove.some((key) => Object.hasOwn(before, key));
  const labels = { ...before, ...Object.fromEntries(set) };
  for (const key of remove) delete labels[key];
  const operation = added && removed ? "modified" : added ? "labeled" : removed ? "unlabeled" : "not labeled";
  return { object: { ...object, metadata: { ...object.metadata, labels } }, operation };
}

function requireNoOverwrite(before: Readonly<Record<string, string>>, set: ReadonlyMap<string, string>): void {
  const failures: Error[] = [];
  for (const [key, value] of set) {
    const held = own(before, key);
    if (held === undefined || held === value) continue;
    failures.push(new Error(`'${key}' already has a value (${held}), and --overwrite is false`));
  }
  if (failures.length > 0) throw aggregate(failures);
}
