import { pause } from "../../base/time/pause.js";
import type { Timers } from "../../base/time/timers.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Helper } from "../../resource/helper.js";
import type { WatchFrame } from "../../client/dynamic/watch-events.js";
import { actionSurroundings } from "../surroundings.js";

/** An event of one watched object. SYNCED comes first and once, with the object if it exists. ADDED follows for it, then every change. */
export type Followed =
  | { readonly type: "SYNCED"; readonly object: KubeObject | undefined }
  | { readonly type: "ADDED" | "MODIFIED" | "DELETED"; readonly object: KubeObject };

export interface FollowOptions {
  readonly timers?: Timers | undefined;
  /** Called with what broke a watch, or kept it from being opened, before it is opened again. */
  readonly failed?: ((error: unknown) => void) | undefined;
}

const BACK_OFF = 800;
const LONGEST_BACK_OFF = 30_000;

/**
 * Watches one object until `signal` aborts, and then ends without an error. It opens a watch that broke or failed again, and
 * reports the changes in between as one.
 */
export async function* followObject(
  helper: Pick<Helper, "watchFromStart">,
  namespace: string,
  name: string,
  signal: AbortSignal,
  { timers = actionSurroundings({}).timers, failed = () => undefined }: FollowOptions = {},
): AsyncGenerator<Followed, void> {
  const watch = new ObjectWatch();
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  let wait = BACK_OFF;
  try {
    while (!signal.aborted) {
      watch.begin();
      try {
        for await (const event of await helper.watchFromStart(namespace, name, either)) {
          const found = watch.take(event);
          if (found === undefined) break;
          if (found.length > 0) wait = BACK_OFF;
          yield* found;
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof Error)) throw error;
        failed(error);
      }
      await pause(timers, wait, signal);
      wait = Math.min(wait * 2, LONGEST_BACK_OFF);
    }
  } finally {
    stop.abort();
  }
}

/** Turns the events of one watch after the other into one story. */
class ObjectWatch {
  #known: KubeObject | undefined;
  #synced = false;
  /** While the initial events of a watch come: the last of them. */
  #initial: { object: KubeObject | undefined } | undefined;

  begin(): void {
    this.#initial = { object: undefined };
  }

  /** Undefined when the watch is of no more use. */
  take({ type, object }: WatchFrame): readonly Followed[] | undefined {
    if (type === "ERROR") return undefined;
    if (type === "BOOKMARK") {
      const ended = object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
      if (!ended || this.#initial === undefined) return [];
      const { object: now } = this.#initial;
      this.#initial = undefined;
      return this.#replace(now);
    }
    if (this.#initial !== undefined) {
      this.#initial.object = type === "DELETED" ? undefined : object;
      return [];
    }
    return this.#change(type === "DELETED" ? undefined : object, object);
  }

  #replace(now: KubeObject | undefined): readonly Followed[] {
    const change = this.#change(now, this.#known);
    if (this.#synced) return change;
    this.#synced = true;
    return [{ type: "SYNCED", object: now }, ...change];
  }

  #change(now: KubeObject | undefined, last: KubeObject | undefined): readonly Followed[] {
    const before = this.#known;
    this.#known = now;
    if (now === undefined) return before === undefined ? [] : [{ type: "DELETED", object: last ?? before }];
    if (before === undefined) return [{ type: "ADDED", object: now }];
    if (before.metadata?.resourceVersion === now.metadata?.resourceVersion) return [];
    return [{ type: "MODIFIED", object: now }];
  }
}
