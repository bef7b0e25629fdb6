import type { PodDecision, RefusalReason } from "../../actions/drain/plan-drain.js";
import type { RemovalEvent } from "../../actions/drain/remove-pods.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Streams } from "../../cli/connect/factory.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { KubeObject } from "../../machinery/meta/object.js";

/** "ignoring DaemonSet-managed Pods: default/a, default/b; ..."; "" when there is nothing to warn of. */
export function warningsOf(decisions: readonly PodDecision[]): string {
  const notes = podsByMessage(decisions, (one) => {
    if (one.decision === "skip" && one.reason === "daemonSet") return "ignoring DaemonSet-managed Pods";
    if (one.decision === "remove" && one.unmanaged) return "deleting Pods that declare no controller";
    return undefined;
  });
  return notes.map(([message, pods]) => `${message}: ${pods}`).join("; ");
}

/** Why no pod may be removed: an error a reason. */
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
