import { rolloutStatus } from "../../actions/rollout/status.js";
import type { Command, Invocation } from "../../cli/command.js";
import { completeListedTypes } from "../../cli/completion/listed-types.js";
import { silentExit } from "../../cli/errors.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import type { LiveLines } from "../../cli/terminal/live-lines.js";
import { openLiveLines } from "../../cli/terminal/open-live-lines.js";
import { klogLine } from "../../machinery/text/klog/klog.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import { type Info, objectName } from "../../resource/info.js";
import { readTarget, requireTarget, ROLLED_OUT, type RolloutTarget, targetFlags } from "./target.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { RolloutStatus } from "../../polymorphic-helpers/rollout/status.js";

export interface StatusOptions extends RolloutTarget {
  readonly client: () => Promise<RestClient>;
  readonly mapper: () => Promise<RestMapper>;
  readonly watch: boolean;
  /** 0 is whichever runs. */
  readonly revision: bigint;
  /** Milliseconds for each object; 0: without end. */
  readonly timeout: number;
  readonly streams: Streams;
  /** On a terminal: a line of how far each object is, redrawn; of kubectl's lines stdout then gets the last of each object alone, if it is a terminal. */
  readonly live: LiveLines | undefined;
  readonly signal: AbortSignal;
}

export function statusCommand(run = runStatus): Command {
  return {
    use: "status (TYPE NAME | TYPE/NAME) [flags]",
    namesFlags: true,
    description: `Show how far the rollout of a resource is, and by default wait until it is done.

--watch=false shows it once. --revision=N makes sure that it is that revision which is rolled out: another one that comes in
between is an error.`,
    examples: `# Wait until a deployment is rolled out
{{program}} rollout status deployment/nginx`,
    flags: [
      ...targetFlags,
      { name: "watch", short: "w", type: "bool", default: "true", usage: "Wait until the rollout is done" },
      {
        name: "revision",
        type: "int64",
        default: "0",
        usage: "The revision that is to be rolled out; 0 is the latest",
      },
      {
        name: "timeout",
        type: "duration",
        default: "0s",
        usage: "How long to wait, with a unit (1s, 2m, 3h); zero is for ever",
      },
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeListedTypes(ROLLED_OUT, { repeat: false }),
    handlesSignals: true,
  };
}

async function complete(factory: Factory, { args, flags, signal }: Invocation): Promise<StatusOptions> {
  const target = await readTarget(factory, flags, args);
  await factory.clientConfig();
  requireTarget(flags, args);
  const revision = BigInt(flags.number("revision"));
  if (revision < 0n) throw new Error(`revision must be a positive integer: ${revision}`);
  const timeout = flags.duration("timeout");
  const complain = (): void => {
    const text = klogLine(
      "E",
      "until.go:159",
      '"Timeout for context shall not be negative"',
      new Date(factory.clock.now()),
    );
    factory.streams.err.write(text);
  };
  const live = flags.bool("watch") ? await openLiveLines(factory) : undefined;
  return {
    namespace: target.namespace,
    find: async () => {
      const result = await target.find();
      if (timeout < 0) complain();
      return result;
    },
    client: live?.above(factory.restClient) ?? factory.restClient,
    mapper: factory.mapper,
    watch: flags.bool("watch"),
    revision,
    timeout: Math.max(timeout, 0),
    streams: factory.streams,
    live,
    signal,
  };
}

export async function runStatus(options: StatusOptions): Promise<void> {
  const result = await options.find();
  let found = false;
  await result.visit(async (info) => {
    found = true;
    await showStatus(info, options);
  });
  if (!found) options.streams.err.write(`No resources found in ${options.namespace} namespace.\n`);
}

async function showStatus(info: Info, options: StatusOptions): Promise<void> {
  const { signal, timeout, watch, revision, streams, live } = options;
  // Both streams are the person's: the line that is redrawn stands for all states but the last.
  const redraws = live !== undefined && streams.out.isTTY === true;
  let last: string | undefined;
  const { kind } = info.mapping.kind;
  const client = { rest: await options.client(), mapper: await options.mapper() };
  try {
    for await (const status of rolloutStatus({ client, object: info, revision, watch, timeout, signal })) {
      const text = statusText(kind, status.object.metadata?.name ?? "", status);
      last = text;
      if (!redraws) {
        live?.clear();
        streams.out.write(`${text}\n`);
      }
      if (status.step !== "complete" && watch) live?.set(objectName(info), progress(text));
    }
  } catch (error) {
    if (signal.aborted) throw silentExit();
    throw error;
  } finally {
    live?.end();
    if (redraws && last !== undefined) streams.out.write(`${last}\n`);
  }
}

/** Without the object, which the line begins with. */
const progress = (text: string): string =>
  text.replace(/^Waiting for .* rollout to finish: /, "").replace(/\.{3}$/, "");

/** kubectl's line about the progress of a rollout, without its newline. */
export function statusText(kind: string, name: string, status: RolloutStatus): string {
  if (kind === "StatefulSet") return statefulSetText(status);
  const type = kind === "DaemonSet" ? "daemon set" : "deployment";
  const rest = (what: string): string => `Waiting for ${type} ${goQuote(name)} rollout to finish: ${what}...`;
  switch (status.step) {
    case "unobserved":
      return `Waiting for ${type} spec update to be observed...`;
    case "updating": {
      const pods = kind === "DaemonSet" ? "pods" : "replicas";
      return rest(`${status.updated} out of ${status.wanted} new ${pods} have been updated`);
    }
    case "terminating":
      return rest(`${status.old} old replicas are pending termination`);
    case "unavailable": {
      const pods = kind === "DaemonSet" ? "updated pods" : "updated replicas";
      return rest(`${status.available} of ${status.wanted} ${pods} are available`);
    }
    case "complete":
    case "unready":
      return `${type} ${goQuote(name)} successfully rolled out`;
  }
}

function statefulSetText(status: RolloutStatus): string {
  switch (status.step) {
    case "unready":
      return `Waiting for ${status.missing} pods to be ready...`;
    case "updating":
      return status.revision === undefined
        ? `Waiting for partitioned roll out to finish: ${status.updated} out of ${status.wanted} new pods have been updated...`
        : `waiting for statefulset rolling update to complete ${status.updated} pods at revision ${status.revision}...`;
    case "complete":
      return status.revision === undefined
        ? `partitioned roll out complete: ${status.updated} new pods have been updated...`
        : `statefulset rolling update complete ${status.updated} pods at revision ${status.revision}...`;
    case "unobserved":
    case "terminating":
    case "unavailable":
      return "Waiting for statefulset spec update to be observed...";
  }
}
