import { LAST_APPLIED } from "../../actions/apply/last-applied.js";
import { rolloutUndo } from "../../actions/rollout/revisions.js";
import { loadTypedKinds } from "../../actions/typed/typed-object.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { dryRunFlag, type DryRunStrategy, readDryRun, withDryRun } from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { type PrintRequest, printerFor } from "../../printers/formats.js";
import { type Info, objectName } from "../../resource/info.js";
import { templateText } from "./history.js";
import { readTarget, requireTarget, ROLLED_OUT, type RolloutTarget, targetFlags, warnUnreadable } from "./target.js";

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
