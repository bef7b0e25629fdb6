import type { RemovalEvent } from "../../actions/drain/remove-pods.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { Streams } from "../../cli/connect/factory.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { KubeObject } from "../../machinery/meta/object.js";

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
