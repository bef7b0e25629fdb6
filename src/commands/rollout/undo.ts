import { rolloutHistory, rolloutUndo } from "../../actions/rollout/revisions.js";
import { loadTypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Revision } from "../../polymorphic-helpers/rollout/history.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { type PrintRequest, printerFor } from "../../printers/formats.js";
import { headingCells, type Look, plainLook, tableColumns } from "../../printers/look.js";
import { DESCRIPTION, TabWriter } from "../../printers/tab-writer.js";
import { type Info, objectName } from "../../resource/info.js";
import { readTarget, requireTarget, ROLLED_OUT, type RolloutTarget, targetFlags, warnUnreadable } from "./target.js";
import { LAST_APPLIED } from "../../actions/apply/last-applied.js";
import { dryRunFlag, type DryRunStrategy, readDryRun, withDryRun } from "../../cli/flags/resource-flags.js";
import { Description } from "../../polymorphic-helpers/describe/index.js";
import type { Fields } from "../../machinery/meta/access.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";

export interface HistoryOptions extends RolloutTarget {
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  /** 0 lists them all. */
  readonly revision: bigint;
  readonly print: PrintRequest;
  /** -o was given: what the revisions stand for is printed, else a line on each. */
  readonly whole: boolean;
  readonly unreadable: (replicaSet: string, message: string) => void;
  readonly streams: Streams;
}

export function historyCommand(run = runHistory): Command {
  return {
    use: "history (TYPE NAME | TYPE/NAME) [flags]",
    namesFlags: true,
    description: "Show the revisions of a resource, or what one of them was.",
    examples: `# List the revisions of a deployment
{{program}} rollout history deployment/abc

# Show the pod template of revision 3 of a daemonset
{{program}} rollout history daemonset/abc --revision=3`,
    flags: [
      {
        name: "revision",
        type: "int64",
        default: "0",
        usage: "Show this revision, with its pod template",
      },
      ...targetFlags,
      ...printFlags,
    ],
    execute: async (factory, invocation) => run(await completeHistory(factory, invocation)),
    completeArgs: completeListedTypes(ROLLED_OUT),
  };
}

async function completeHistory(factory: Factory, { args, flags }: Invocation): Promise<HistoryOptions> {
  const target = await readTarget(factory, flags, args);
  requireTarget(flags, args);
  const revision = BigInt(flags.number("revision"));
  if (revision < 0n) throw new Error(`revision must be a positive integer: ${revision}`);
  const print = readPrintRequest(flags, factory);
  const isWhole = print.output !== "";
  const encode = isWhole || print.template !== "" ? (await loadTypedKinds()).encode : undefined;
  return {
    ...target,
    client: factory.restClient,
    mapper: factory.mapper,
    revision,
    print: { ...print, encode },
    whole: isWhole,
    unreadable: warnUnreadable(factory, isWhole ? 172 : 114),
    streams: factory.streams,
  };
}

export async function runHistory(options: HistoryOptions): Promise<void> {
  const { print, streams } = options;
  const out = (text: string): void => void streams.out.write(text);
  const result = await options.find();
  if (options.whole) {
    const printer = printerFor(print);
    await result.visit(async (info) => {
      for (const { object } of chosen(await historyOf(info, options), options.revision)) printer.print(object(), out);
    });
    return;
  }
  await result.visit(async (info) => {
    const history = await historyOf(info, options);
    const heading = options.revision > 0n ? `with revision #${options.revision}` : "";
    const text = await overview(history, options.revision, print.look);
    printerFor(print, `${heading}\n${text}`).print(info.object ?? {}, out);
  });
}

async function historyOf(object: Info, options: HistoryOptions): Promise<readonly Revision[]> {
  const client = { rest: await options.client(), mapper: await options.mapper() };
  return rolloutHistory({ client, object, onUnreadable: options.unreadable });
}

/** 0 is all of them. */
function chosen(revisions: readonly Revision[], wanted: bigint): readonly Revision[] {
  if (wanted === 0n) return revisions;
  const revision = revisions.find(({ number }) => number === wanted);
  if (revision === undefined) throw new Error("unable to find the specified revision");
  return [revision];
}

const HEADINGS = ["REVISION", "CHANGE-CAUSE"];

async function overview(history: readonly Revision[], wanted: bigint, look: Look = plainLook): Promise<string> {
  if (history.length === 0) return "No rollout history found.";
  const revisions = chosen(history, wanted);
  const [only] = revisions;
  if (wanted > 0n && only !== undefined) return templateText(only.shownTemplate());
  let text = "";
  const writer = new TabWriter(
    (aligned) => {
      text += aligned;
    },
    { ...DESCRIPTION, measure: look.measure, fit: look.fit },
  );
  writer.write.table?.(tableColumns(HEADINGS, true));
  writer.write(`${headingCells(look, HEADINGS).join("\t")}\n`);
  for (const { number, changeCause } of revisions) writer.write(`${number}\t${changeCause || "<none>"}\n`);
  writer.flush();
  return text;
}

export interface UndoOptions extends RolloutTarget {
  readonly program: string;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  /** 0 is the last one but the present. */
  readonly toRevision: bigint;
  readonly dryRun: DryRunStrategy;
  readonly print: PrintRequest;
  readonly unreadable: (replicaSet: string, message: string) => void;
  readonly streams: Streams;
}

export function undoCommand(run = runUndo): Command {
  return {
    use: "undo (TYPE NAME | TYPE/NAME) [flags]",
    namesFlags: true,
    description: "Go back to what a resource was rolled out with before.",
    examples: `# Go back to the revision before the present one
{{program}} rollout undo deployment/abc

# Go back to revision 3 of a daemonset
{{program}} rollout undo daemonset/abc --to-revision=3

# Let the server try it, without keeping the result
{{program}} rollout undo --dry-run=server deployment/abc`,
    flags: [
      {
        name: "to-revision",
        type: "int64",
        default: "0",
        usage: "The revision to go back to; 0 is the one before the present",
      },
      ...targetFlags,
      dryRunFlag,
      ...printFlags,
    ],
    execute: async (factory, invocation) => run(await completeUndo(factory, invocation)),
    completeArgs: completeListedTypes(ROLLED_OUT),
  };
}

async function completeUndo(factory: Factory, { args, flags }: Invocation): Promise<UndoOptions> {
  const dryRun = readDryRun(flags, factory);
  const target = await readTarget(factory, flags, args);
  requireTarget(flags, args);
  const print = readPrintRequest(flags, factory);
  const encode = print.output + print.template === "" ? undefined : (await loadTypedKinds()).encode;
  return {
    ...target,
    program: factory.program,
    client: factory.restClient,
    mapper: factory.mapper,
    toRevision: BigInt(flags.number("to-revision")),
    dryRun,
    print: { ...print, encode },
    unreadable: warnUnreadable(factory, 114),
    streams: factory.streams,
  };
}

export async function runUndo(options: UndoOptions): Promise<void> {
  const { streams, dryRun, print } = options;
  const result = await options.find();
  await result.visit(async (info) => {
    if (info.object?.metadata?.annotations?.[LAST_APPLIED] !== undefined) {
      streams.err.write(appliedWarning(info, options.program));
    }
    const done = withDryRun(await rollBack(info, options), dryRun);
    printerFor(print, done).print(info.object ?? {}, (text) => void streams.out.write(text));
  });
}

/** What was done, in words. */
async function rollBack(info: Info, options: UndoOptions): Promise<string> {
  const { toRevision, dryRun, unreadable: onUnreadable } = options;
  const client = { rest: await options.client(), mapper: await options.mapper() };
  const { type, template } = await rolloutUndo({ client, object: info, toRevision, dryRun, onUnreadable });
  if (type === "rolledBack") return "rolled back";
  if (type === "unchanged") return `skipped rollback (current template already matches revision ${toRevision})`;
  const prefix = info.mapping.kind.kind === "Deployment" ? "" : "will roll back to ";
  return `${prefix}${await templateText(template())}`;
}

const appliedWarning = (info: Info, program: string): string =>
  `Warning: resource ${objectName(info)} was previously managed with '${program} apply'. Rolling back will not update the ${LAST_APPLIED} annotation, which may cause unexpected behavior on future '${program} apply' operations. Consider using '${program} apply' with your previous configuration file instead.\n`;

/** A pod template as describe shows it, but that kubectl leaves the tabs between its cells. */
export async function templateText(template: Fields): Promise<string> {
  const { describePodTemplate } = await import("../../polymorphic-helpers/describe/pod-template.js");
  const description = new Description();
  describePodTemplate(description, template);
  return escapeForTerminal(description.parts().join(""));
}
