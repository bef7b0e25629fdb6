import type { KubeObject } from "../../machinery/meta/object.js";
import { actionSurroundings, type ActionSurroundings } from "../surroundings.js";
import { type ActionClient, resolveTarget, type Target } from "../target.js";
import { startTimeLimit } from "../time-limit.js";
import type { WaitCondition } from "./conditions.js";
import { settle, settleDeletion, type WaitOutcome } from "./settle.js";

export interface WaitOptions extends ActionSurroundings {
  readonly client: ActionClient;
  readonly object: Target;
  /** Of several each must have held, one after the other. */
  readonly until: WaitCondition | readonly WaitCondition[];
  /** One of `until` will do. Default false. */
  readonly any?: boolean | undefined;
  /** The first of these that holds ends the wait as "failed". */
  readonly failOn?: readonly WaitCondition[] | undefined;
  /** Milliseconds; 0 reads the object once and does not wait. Default: no end. */
  readonly timeout?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Called with each state of the object. */
  readonly onState?: ((object: KubeObject) => void) | undefined;
}

/**
 * Waits until an object exists, is gone, or meets conditions, and resolves with the outcome. It opens a watch that breaks again.
 * Throws for a kind that the server lacks, what a condition throws, and the signal's reason when it aborts.
 */
export async function waitForObject(options: WaitOptions): Promise<WaitOutcome> {
  const { client, any = false, failOn: failing = [], timeout, signal, onState = () => undefined } = options;
  const wanted = [options.until].flat();
  const { timers } = actionSurroundings(options);
  const target = await resolveTarget(options.object, client);
  signal?.throwIfAborted();
  const limit = startTimeLimit(timers, timeout === 0 ? undefined : timeout, signal);
  const context = { rest: client.rest, timers, deadline: limit.deadline, once: timeout === 0, seen: onState };
  const forDeletion = wanted.length === 1 && wanted[0]?.type === "deleted" && failing.length === 0;
  try {
    const settling = forDeletion ? settleDeletion(target, context) : settle(target, { wanted, any, failing }, context);
    const outcome = await settling;
    if (outcome.type === "timedOut") signal?.throwIfAborted();
    return outcome;
  } finally {
    limit.end();
  }
}
