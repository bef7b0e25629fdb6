import {
  type RolloutChange,
  type RolloutChangeOptions,
  rolloutPause,
  RolloutRefusedError,
  rolloutRestart,
  rolloutResume,
} from "../../actions/rollout/change.js";
import { loadTypedKinds } from "../../actions/typed/typed-object.js";
import type { Clock } from "../../base/time/clock.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { printFlags, readPrintRequest } from "../../cli/flags/print-flags.js";
import { fieldManagerFlag } from "../../cli/flags/resource-flags.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { type PrintRequest, printerFor } from "../../printers/formats.js";
import { type Info, refresh } from "../../resource/info.js";
import { throwAll } from "../../resource/visitor.js";
import { readTarget, requireTarget, ROLLED_OUT, type RolloutTarget, targetFlags } from "./target.js";

export interface ChangeOptions extends RolloutTarget {
  readonly change: (options: RolloutChangeOptions) => Promise<RolloutChange>;
  /** "paused". */
  readonly done: string;
  /** What is said when nothing changed; undefined makes that an error. */
  readonly unchanged: string | undefined;
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly fieldManager: string;
  readonly print: PrintRequest;
  readonly clock: Clock;
  readonly streams: Streams;
}

type Words = Pick<ChangeOptions, "change" | "done" | "unchanged">;

export function pauseCommand(run = runChange): Command {
  return {
    ...command({ change: rolloutPause, done: "paused", unchanged: "already paused" }, run),
    use: "pause RESOURCE",
    description: `Pause a deployment: what is changed in it is not rolled out until "{{program}} rollout resume" lets it.

Only deployments can be paused.`,
    examples: `# Hold back the rollout of the nginx deployment, as far as it is
{{program}} rollout pause deployment/nginx`,
    completeArgs: completeListedTypes(["deployment"]),
  };
}

export function resumeCommand(run = runChange): Command {
  return {
    ...command({ change: rolloutResume, done: "resumed", unchanged: "already resumed" }, run),
    use: "resume RESOURCE",
    description: `Let the rollout of a paused deployment go on.

Only deployments can be paused and resumed.`,
    examples: `# Go on with a paused deployment
{{program}} rollout resume deployment/nginx`,
    completeArgs: completeListedTypes(["deployment"]),
  };
}

export function restartCommand(run = runChange): Command {
  return {
    ...command({ change: rolloutRestart, done: "restarted", unchanged: undefined }, run),
    use: "restart RESOURCE",
    description: "Start the pods of a resource anew, as its rollout strategy says.",
    examples: `# Restart all deployments of a namespace
{{program}} rollout restart deployment -n test-namespace

# Restart a deployment
{{program}} rollout restart deployment/nginx

# Restart a daemonset
{{program}} rollout restart daemonset/abc

# Restart the deployments with the label app=nginx
{{program}} rollout restart deployment --selector=app=nginx`,
    completeArgs: completeListedTypes(ROLLED_OUT),
  };
}

const command = (words: Words, run: typeof runChange): Pick<Command, "flags" | "execute"> => ({
  flags: [...printFlags, ...targetFlags, fieldManagerFlag("kubectl-rollout")],
  execute: async (factory, invocation) => run(await complete(factory, invocation, words)),
});

async function complete(factory: Factory, { args, flags }: Invocation, words: Words): Promise<ChangeOptions> {
  const target = await readTarget(factory, flags, args);
  requireTarget(flags, args);
  const print = readPrintRequest(flags, factory);
  const encode = print.output + print.template === "" ? undefined : (await loadTypedKinds({ retired: true })).encode;
  return {
    ...words,
    ...target,
    client: factory.restClient,
    mapper: factory.mapper,
    fieldManager: flags.string("field-manager"),
    print: { ...print, encode },
    clock: factory.clock,
    streams: factory.streams,
  };
}

/** Changes all objects found, and continues after a failure. */
export async function runChange(options: ChangeOptions): Promise<void> {
  const { infos, error } = await (await options.find()).gather();
  const failures: unknown[] = error === undefined ? [] : [error];
  if (infos.length === 0 && failures.length === 0) {
    options.streams.err.write(`No resources found in ${options.namespace} namespace.\n`);
    return;
  }
  for (const info of infos) {
    await changeOne(info, options).catch((failure: unknown) => void failures.push(failure));
  }
  throwAll(failures);
}

async function changeOne(info: Info, options: ChangeOptions): Promise<void> {
  const { clock, fieldManager } = options;
  const client = { rest: await options.client(), mapper: await options.mapper() };
  const { changed, object } = await options
    .change({ client, object: info, fieldManager, clock })
    .catch((error: Error) => {
      const doing = error instanceof RolloutRefusedError ? "error" : "failed to patch";
      throw new Error(`${doing}: ${error.message}`, { cause: error });
    });
  if (changed) refresh(info, object);
  else if (options.unchanged === undefined) throw justRestarted(info.name);
  print(info, changed ? options.done : (options.unchanged ?? ""), options);
}

const justRestarted = (name: string): Error =>
  new Error(
    `failed to create patch for ${name}: if restart has already been triggered within the past second, please wait before attempting to trigger another`,
  );

function print({ object = {} }: Info, done: string, options: ChangeOptions): void {
  printerFor(options.print, done).print(object, (text) => void options.streams.out.write(text));
}
