import { type DrainRules, planDrain, type PodDecision, type RefusalReason } from "../../actions/drain/plan-drain.js";
import { removePods, type RemovalOptions, type RemovalEvent } from "../../actions/drain/remove-pods.js";
import { errorMessage } from "../../base/text/error-message.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Command, Invocation } from "../../cli/command.js";
import type { Factory, Streams } from "../../cli/connect/factory.js";
import { warnTo } from "../../cli/warn.js";
import { aggregate, throwAll } from "../../resource/visitor.js";
import { cordonNodes } from "./schedulability.js";
import { completeNodes, findNodes, nodeFlags, type NodeOptions } from "./find-nodes.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { KubeObject } from "../../machinery/meta/object.js";

export interface DrainOptions extends NodeOptions {
  readonly rules: Omit<DrainRules, "client" | "node">;
  readonly removal: Omit<RemovalOptions, "client" | "dryRun">;
  readonly lines: RemovalLineOptions;
  readonly warn: (text: string) => void;
}

const USE = "drain NODE";

export function drainCommand(run = runDrain): Command {
  return {
    use: USE,
    description: `Empty a node, for instance before its machine is worked on: it is made unschedulable, then its pods are evicted, and the
command waits until they are gone. A disruption budget that is used up makes it try again until there is room.

Pods of daemon sets stay (their controller would put them back at once), and so do mirror pods. Nothing is evicted while
there are pods of daemon sets and no --ignore-daemonsets, pods with an emptyDir and no --delete-emptydir-data, or pods
without a controller and no --force.

"{{program}} uncordon" puts the node back to work.`,
    examples: `# Empty the node "foo", pods without a controller included
{{program}} drain foo --force

# Give each pod 15 minutes
{{program}} drain foo --grace-period=900`,
    flags: [
      { name: "force", type: "bool", usage: "Also pods without a controller" },
      { name: "ignore-daemonsets", type: "bool", usage: "Leave the pods of daemon sets where they are" },
      { name: "delete-emptydir-data", type: "bool", usage: "Also pods with an emptyDir, whose data is lost with them" },
      {
        name: "grace-period",
        type: "int",
        default: "-1",
        usage: "Seconds each pod gets to end. Negative leaves it to the pod",
      },
      { name: "timeout", type: "duration", default: "0s", usage: "How long to go on; zero has no end" },
      { name: "pod-selector", type: "string", usage: "Label selector: only these pods of the node" },
      { name: "disable-eviction", type: "bool", usage: "Delete pods rather than evict them, past disruption budgets" },
      {
        name: "skip-wait-for-delete-timeout",
        type: "int",
        default: "0",
        usage: "Do not wait for pods that were deleted longer ago than this many seconds; 0 waits for all",
      },
      {
        name: "chunk-size",
        type: "int64",
        default: "500",
        usage: "Read long lists in pages of this size; 0 reads them at once",
      },
      ...nodeFlags,
    ],
    execute: async (factory, invocation) => run(await complete(factory, invocation)),
    completeArgs: completeNodes,
  };
}

async function complete(factory: Factory, invocation: Invocation): Promise<DrainOptions> {
  const { flags } = invocation;
  const podSelector = flags.string("pod-selector");
  const chunkSize = flags.number("chunk-size");
  const skipDeletedAfter = flags.number("skip-wait-for-delete-timeout");
  const nodes = await findNodes(factory, invocation, USE, { podSelector, chunkSize });
  const gracePeriod = flags.number("grace-period");
  const { streams, clock } = factory;
  return {
    ...nodes,
    rules: {
      clock,
      force: flags.bool("force"),
      ignoreDaemonSets: flags.bool("ignore-daemonsets"),
      deleteEmptyDirData: flags.bool("delete-emptydir-data"),
      podSelector,
      chunkSize,
      skipDeletedAfter: skipDeletedAfter * 1000,
    },
    removal: {
      clock,
      gracePeriodSeconds: gracePeriod < 0 ? undefined : gracePeriod,
      timeout: flags.duration("timeout"),
      disableEviction: flags.bool("disable-eviction"),
      skipDeletedAfter: skipDeletedAfter * 1000,
    },
    lines: {
      streams,
      print: nodes.print,
      trial: nodes.dryRun === "server" ? " (server dry run)" : "",
      skipDeletedAfter,
    },
    warn: warnTo(streams, factory.colours),
  };
}

/** Cordons all nodes, then drains one after the other, and continues after a failure. */
export async function runDrain(options: DrainOptions): Promise<void> {
  await cordonNodes(options, true);
  const client = { rest: await options.client() };
  const { err } = options.streams;
  const failures: unknown[] = [];
  const pending: string[] = [];
  for (const { name, object = {} } of options.nodes) {
    try {
      await empty({ ...options.rules, client, node: name }, options);
      options.print(object, "drained");
    } catch (error) {
      const node = goQuote(name);
      err.write(`error: unable to drain node ${node} due to error: ${errorMessage(error)}, continuing command...\n`);
      failures.push(error);
      pending.push(name);
    }
  }
  if (pending.length > 0) {
    err.write(`There are pending nodes to be drained:\n${pending.map((name) => ` ${name}\n`).join("")}`);
  }
  throwAll(failures);
}

async function empty(rules: DrainRules, { dryRun, lines, removal, streams, warn }: DrainOptions): Promise<void> {
  const decisions = await planDrain(rules);
  throwAll(errorsOf(decisions));
  const warnings = warningsOf(decisions);
  if (warnings !== "") warn(warnings);
  const pods = decisions.filter(({ decision }) => decision === "remove").map(({ pod }) => pod);
  if (dryRun === "client") {
    for (const { metadata = {} } of pods) {
      streams.out.write(`evicting pod ${metadata.namespace ?? ""}/${metadata.name ?? ""} (dry run)\n`);
    }
    return;
  }
  try {
    await removePods(pods, { ...removal, client: rules.client, dryRun }, (event) => showRemoval(event, lines));
  } catch (error) {
    await tellPending(rules, error, streams.err);
    throw error;
  }
}

/** Which pods are still there after a failure. */
async function tellPending(rules: DrainRules, failure: unknown, err: NodeOptions["streams"]["err"]): Promise<void> {
  const left = await planDrain(rules).then(
    (decisions) => ({
      pods: decisions.filter(({ decision }) => decision === "remove").map(({ pod }) => pod),
      errors: errorsOf(decisions) as readonly unknown[],
    }),
    (error: unknown) => ({ pods: [], errors: [error] }),
  );
  if (left.pods.length > 0) {
    const names = left.pods.map(({ metadata }) => `pod/${metadata?.name ?? ""}\n`);
    const title = `There are pending pods in node ${goQuote(rules.node)} when an error occurred: ${errorMessage(failure)}\n`;
    err.write(title + names.join(""));
  }
  if (left.errors.length > 0) {
    const errors = aggregate(left.errors).message;
    err.write(`Following errors occurred while getting the list of pods to delete:\n${errors}`);
  }
}

/** The warnings about the drain, "ignoring DaemonSet-managed Pods: default/a, default/b; ..."; "" when there are none. */
export function warningsOf(decisions: readonly PodDecision[]): string {
  const notes = podsByMessage(decisions, (one) => {
    if (one.decision === "skip" && one.reason === "daemonSet") return "ignoring DaemonSet-managed Pods";
    if (one.decision === "remove" && one.unmanaged) return "deleting Pods that declare no controller";
    return undefined;
  });
  return notes.map(([message, pods]) => `${message}: ${pods}`).join("; ");
}

/** Makes one error for each reason why the drain refuses to remove pods. */
export function errorsOf(decisions: readonly PodDecision[]): readonly Error[] {
  const notes = podsByMessage(decisions, (one) =>
    one.decision === "refuse" ? (one.error?.message ?? REFUSALS[one.reason]) : undefined,
  );
  return notes.map(([message, pods]) => new Error(`cannot delete ${message}: ${pods}`));
}

const REFUSALS: Readonly<Record<RefusalReason, string>> = {
  daemonSet: "DaemonSet-managed Pods (use --ignore-daemonsets to ignore)",
  daemonSetUnreadable: "",
  localStorage: "Pods with local storage (use --delete-emptydir-data to override)",
  noController: "Pods that declare no controller (use --force to override)",
};

function podsByMessage(
  decisions: readonly PodDecision[],
  messageOf: (one: PodDecision) => string | undefined,
): readonly (readonly [string, string])[] {
  const notes = new Map<string, string[]>();
  for (const one of decisions) {
    const message = messageOf(one);
    if (message === undefined) continue;
    const { namespace = "", name = "" } = one.pod.metadata ?? {};
    notes.set(message, [...(notes.get(message) ?? []), `${namespace}/${name}`]);
  }
  return [...notes].map(([message, pods]) => [message, pods.join(", ")]);
}

export interface RemovalLineOptions {
  readonly streams: Streams;
  /** "pod/web evicted". */
  readonly print: (object: KubeObject, operation: string) => void;
  /** Stands behind each pod that is evicted: " (server dry run)". */
  readonly trial: string;
  /** Seconds, as they were given. */
  readonly skipDeletedAfter: number;
}

/** Writes kubectl's line for each event of a removal. */
export function showRemoval(
  event: RemovalEvent,
  { streams, print, trial, skipDeletedAfter }: RemovalLineOptions,
): void {
  const { namespace = "", name = "" } = event.pod.metadata ?? {};
  switch (event.type) {
    case "evicting":
      streams.out.write(`evicting pod ${namespace}/${name}${trial}\n`);
      break;
    case "retrying": {
      const delay = `(will retry after ${goDurationText(event.delay)})`;
      const what =
        event.reason === "disruptionBudget"
          ? `pods/${goQuote(name)} -n ${goQuote(namespace)}`
          : `pod ${goQuote(name)} from terminating namespace ${goQuote(namespace)}`;
      streams.err.write(`error when evicting ${what} ${delay}: ${event.error.message}\n`);
      break;
    }
    case "evicted":
    case "deleted":
      print(event.pod, event.type);
      break;
    case "failed":
      print(event.pod, `${event.method} failed`);
      break;
    case "skipped":
      streams.out.write(
        `pod ${goQuote(name)} has DeletionTimestamp older than ${skipDeletedAfter} seconds, skipping\n`,
      );
      break;
    case "deleting":
  }
}
