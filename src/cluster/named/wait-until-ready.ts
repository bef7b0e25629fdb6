import { inertText } from "../../base/text/inert-text.js";
import { pause } from "../../base/time/pause.js";
import { stopwatchOf } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import { surroundingsOf, type Surroundings } from "../../client/surroundings.js";
import { namedClusterError } from "./cluster-home.js";
import { type Readiness, readiness, type ReadinessOptions, type Unready } from "./readiness.js";
import { ClusterWatch } from "./watch-cluster.js";

export interface WaitUntilReadyOptions extends ReadinessOptions, Partial<Surroundings> {
  /** Ends the wait when it aborts: the call resolves then. */
  readonly signal: AbortSignal;
  /** Milliseconds; 0 looks once. */
  readonly timeout: number;
  /** Takes how far the cluster is, whenever that changes: "8 of 12 pods ready". */
  readonly onProgress?: ((state: string) => void) | undefined;
  /** Takes a line for each object that is not ready, where the wait fails. */
  readonly say: (line: string) => void;
}

/** How long a server may take to answer a request when the time is over, in milliseconds. */
const PATIENCE_MS = 5000;
/** How long changes are gathered before the next look. Milliseconds. */
const TOGETHER_MS = 100;
/** How long what can hardly become ready is waited for, in milliseconds: three starts of a container that crashes. */
const GRACE_MS = 30_000;

/**
 * Waits until all nodes of a cluster are ready, all pods that have not ended (those that workloads still have to create included),
 * and until Jobs have completed. Resolves early when `signal` aborts. When the time is over, or something has been unable to
 * become ready for 30 seconds, it prints what is not ready and throws; `subject` names the cluster in the error, as in `cluster
 * "dev"`. Throws at once when the server refuses access to its objects, or is gone.
 */
export async function waitUntilReady(
  subject: string,
  client: Pick<KubernetesClient, "of">,
  options: WaitUntilReadyOptions,
): Promise<void> {
  const { signal, timeout, onProgress, say } = options;
  const { timers } = surroundingsOf(options);
  const elapsed = stopwatchOf(timers)();
  const watch = new ClusterWatch(subject, client, options);
  // Ends requests that a server which is stuck does not answer.
  const limit = new AbortController();
  const cancel = timers.start((timeout || GRACE_MS) + PATIENCE_MS, () => limit.abort());
  const requests = AbortSignal.any([signal, limit.signal]);
  const doubts = new Doubts();
  let shown = "";
  try {
    while (!signal.aborted) {
      const changed = AbortSignal.any([watch.next(), signal]);
      const found = await look(watch, options, requests).catch((error: unknown) => {
        if (!limit.signal.aborted) throw error;
      });
      const now = elapsed();
      if (found !== undefined) {
        if (found.unready.length === 0) return;
        const state = stateOf(found);
        if (state !== shown) onProgress?.(state);
        shown = state;
        doubts.update(found.unready, now);
        if (doubts.isHopeless(now) || now >= timeout) {
          for (const line of await linesOf(found.unready, client, requests)) say(line);
          const after = timeout === 0 ? "" : ` after ${goDurationText(timeout)}`;
          const why = now >= timeout ? `is not ready${after}` : "cannot become ready as it is";
          throw namedClusterError(`${subject} ${why}: ${state}`);
        }
      } else if (now >= (timeout || GRACE_MS)) {
        throw namedClusterError(
          `${subject} has not answered after ${goDurationText(timeout || GRACE_MS)}; its server may be stuck`,
        );
      }
      await pause(timers, Math.max(Math.min(timeout || GRACE_MS, doubts.end) - now, 1), changed);
      // Pods that start together change together.
      if (found !== undefined) await pause(timers, TOGETHER_MS, signal);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    cancel();
    await watch.stop();
  }
}

/** Undefined while something has not been read. */
async function look(
  watch: ClusterWatch,
  options: ReadinessOptions,
  signal: AbortSignal,
): Promise<Readiness | undefined> {
  const observed = watch.observed();
  if (observed === undefined) return undefined;
  const found = readiness(observed, options);
  // A watch of pods may be behind that of the workloads which have got them.
  return found.unready.length > 0 ? found : readiness(await watch.list(signal), options);
}

/** Since when objects can hardly become ready. A container that crashes again and again runs in between. */
class Doubts {
  readonly #since = new Map<string, number>();
  /** Of those that can hardly become ready now. */
  #ends: readonly number[] = [];

  update(unready: readonly Unready[], now: number): void {
    const left = new Set(unready.map(({ uid }) => uid));
    for (const uid of this.#since.keys()) if (!left.has(uid)) this.#since.delete(uid);
    this.#ends = unready.flatMap(({ uid, prospect }) => {
      if (prospect === "good") return [];
      if (prospect === "never") return [now];
      const since = this.#since.get(uid) ?? now;
      this.#since.set(uid, since);
      return [since + GRACE_MS];
    });
  }

  /** When the earliest of them is given up. */
  get end(): number {
    return Math.min(...this.#ends);
  }

  isHopeless(now: number): boolean {
    return now >= this.end;
  }
}

function stateOf({ nodes, pods }: Readiness): string {
  const ready = `${pods.ready} of ${pods.all} pods ready`;
  return nodes.ready === nodes.all ? ready : `${nodes.ready} of ${nodes.all} nodes ready, ${ready}`;
}

/** A line for each object. What the cluster says in it stays one line, and acts on no terminal. */
async function linesOf(
  unready: readonly Unready[],
  client: Pick<KubernetesClient, "of">,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const warnings = await lastWarnings(client, signal);
  return unready.map(({ object, namespace, reason, message, prospect, uid }) => {
    // The status of a pod that only starts does not say what holds it up: its events do.
    const warning = prospect === "good" ? warnings.get(uid) : undefined;
    const words = [message, warning].filter((text) => text !== undefined && text !== "").join("; ");
    const place = namespace === undefined ? "" : ` in namespace ${namespace}`;
    return inertText(`${object}${place}: ${reason}: ${words}`.replaceAll(/\s+/g, " ").replace(/:? $/, ""));
  });
}

/** The last warning of each object that has one, by its uid; none where events cannot be read. */
async function lastWarnings(
  client: Pick<KubernetesClient, "of">,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  try {
    const { items } = await client.of("v1", "Event").listWhole({ fieldSelector: "type=Warning", signal });
    const timeOf = ({ lastTimestamp, eventTime, series, metadata }: (typeof items)[number]): string =>
      series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? metadata?.creationTimestamp ?? "";
    const sorted = items.toSorted((a, b) => (timeOf(a) < timeOf(b) ? -1 : 1));
    return new Map(sorted.map(({ involvedObject, message = "" }) => [involvedObject?.uid ?? "", message]));
  } catch {
    return new Map();
  }
}
