import type { Timers } from "../../base/time/timers.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isNotFound, notFound, type StatusError } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { Helper } from "../../resource/helper.js";
import { followObject } from "../follow/follow-object.js";
import type { ResolvedTarget } from "../target.js";
import type { WaitCondition } from "./conditions.js";

/** When a wait is over. */
export interface WaitEnding {
  readonly wanted: readonly WaitCondition[];
  /** One of `wanted` will do; else each must have held, one after the other. */
  readonly any: boolean;
  /** The first of these that holds ends the wait. */
  readonly failing: readonly WaitCondition[];
}

export interface WaitContext {
  readonly rest: RestClient;
  readonly timers: Timers;
  /** Ends the wait. */
  readonly deadline: AbortSignal;
  /** Reads the object once, without waiting. */
  readonly once: boolean;
  /** Called with each state of the object, before conditions are held against it. */
  readonly seen: (object: KubeObject) => void;
}

/** How a wait ended. */
export type WaitOutcome =
  /** What was wanted holds. The object is as it was then, or as it was last; undefined where none was ever seen. */
  | { readonly type: "met"; readonly object: KubeObject | undefined }
  /** A failing condition holds. */
  | { readonly type: "failed"; readonly condition: WaitCondition; readonly object: KubeObject | undefined }
  /** There is no such object, and its creation is not waited for. */
  | { readonly type: "notFound"; readonly error: StatusError }
  /** The time was over before. `error` is the last reason why the object could not be watched, where there was one. */
  | { readonly type: "timedOut"; readonly object: KubeObject | undefined; readonly error?: unknown };

/** Watches the object until the wait ends. Throws what a condition throws. */
export async function settle(target: ResolvedTarget, ending: WaitEnding, context: WaitContext): Promise<WaitOutcome> {
  const { mapping, namespace, name } = target;
  const { deadline, timers } = context;
  const helper = new Helper(context.rest, mapping, { sentBy: "dynamic" });
  const progress = new Progress(ending);
  if (context.once) return readOnce(target, helper, progress);
  let last: KubeObject | undefined;
  let error: unknown;
  const failed = (reason: unknown): void => void (error = reason);
  for await (const { type, object } of followObject(helper, namespace, name, deadline, { timers, failed })) {
    // The same object follows as ADDED.
    if (type === "SYNCED" && object !== undefined) continue;
    const now = type === "DELETED" ? undefined : object;
    if (now !== undefined) context.seen(now);
    last = now ?? last;
    const end = progress.endAt(now);
    if (end !== undefined) return { ...end, object: last };
    if (type === "SYNCED" && !progress.awaitsCreation()) {
      return { type: "notFound", error: notFound(mapping.resource, name) };
    }
  }
  return { type: "timedOut", object: last, error };
}

/** Waits for a deletion as kubectl does: it reads the object before it watches, so that the error of a failed read is thrown. */
export async function settleDeletion(target: ResolvedTarget, context: WaitContext): Promise<WaitOutcome> {
  const { mapping, namespace, name } = target;
  const { deadline, rest, timers } = context;
  const helper = new Helper(rest, mapping, { sentBy: "dynamic" });
  const first = await present(helper.get(namespace, name));
  if ("error" in first) return { type: "met", object: undefined };
  if (context.once) return { type: "timedOut", object: first.object };
  let error: unknown;
  const failed = (reason: unknown): void => void (error = reason);
  for await (const { type, object } of followObject(helper, namespace, name, deadline, { timers, failed })) {
    if (type === "DELETED" || object === undefined) return { type: "met", object: first.object };
    context.seen(object);
  }
  return { type: "timedOut", object: first.object, error };
}

async function readOnce({ namespace, name }: ResolvedTarget, helper: Helper, progress: Progress): Promise<WaitOutcome> {
  const found = await present(helper.get(namespace, name));
  const object = "object" in found ? found.object : undefined;
  const end = progress.endAt(object);
  if (end !== undefined) return { ...end, object };
  return "error" in found ? { type: "notFound", error: found.error } : { type: "timedOut", object };
}

class Progress {
  readonly #ending: WaitEnding;
  #waiting: readonly WaitCondition[];

  constructor(ending: WaitEnding) {
    this.#ending = ending;
    this.#waiting = ending.wanted;
  }

  /** Undefined while the wait goes on. Without an object, it is gone. */
  endAt(
    object: KubeObject | undefined,
  ): { readonly type: "met" } | { readonly type: "failed"; readonly condition: WaitCondition } | undefined {
    const { any, failing, wanted } = this.#ending;
    const condition = failing.find((one) => isMet(one, object));
    if (condition !== undefined) return { type: "failed", condition };
    if (any) return wanted.some((one) => isMet(one, object)) ? { type: "met" } : undefined;
    let [next] = this.#waiting;
    while (next !== undefined && isMet(next, object)) {
      this.#waiting = this.#waiting.slice(1);
      [next] = this.#waiting;
    }
    return next === undefined ? { type: "met" } : undefined;
  }

  awaitsCreation(): boolean {
    return this.#waiting.some(({ type }) => type === "created");
  }
}

function isMet(condition: WaitCondition, object: KubeObject | undefined): boolean {
  if (condition.type === "deleted") return object === undefined;
  if (object === undefined) return false;
  return condition.type === "holds" ? condition.check(object) : true;
}

/** The server's 404 is an answer, too. */
function present(
  reading: Promise<KubeObject>,
): Promise<{ readonly object: KubeObject } | { readonly error: StatusError }> {
  return reading.then(
    (object) => ({ object }),
    (error: unknown) => {
      if (isNotFound(error)) return { error };
      throw error;
    },
  );
}
