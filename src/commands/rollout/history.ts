import { rolloutHistory } from "../../actions/rollout/revisions.js";
import { loadTypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { Fields } from "../../machinery/meta/access.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { Description } from "../../polymorphic-helpers/describe/index.js";
import type { Revision } from "../../polymorphic-helpers/rollout/history.js";
import { type PrintRequest, printerFor } from "../../printers/formats.js";
import { headingCells, type Look, plainLook, tableColumns } from "../../printers/look.js";
import { DESCRIPTION, TabWriter } from "../../printers/tab-writer.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";
import type { Info } from "../../resource/info.js";
import { readTarget, requireTarget, ROLLED_OUT, type RolloutTarget, targetFlags, warnUnreadable } from "./target.js";

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

/** A pod template as describe shows it, but that kubectl leaves the tabs between its cells. */
export async function templateText(template: Fields): Promise<string> {
  const { describePodTemplate } = await import("../../polymorphic-helpers/describe/pod-template.js");
  const description = new Description();
  describePodTemplate(description, template);
  return escapeForTerminal(description.parts().join(""));
}
