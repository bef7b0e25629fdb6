import {
  settle,
  settleDeletion,
  type WaitContext,
  type WaitEnding,
  type WaitOutcome,
} from "../../actions/wait/settle.js";
import { awaitedPause } from "../../actions/surroundings.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { Result } from "../../resource/builder.js";
import { type Info, objectName } from "../../resource/info.js";
import type { Condition } from "../../cli/wait-conditions/conditions.js";

const POLL = 500;

/** Looks every half second until something is found. Throws what is wrong with the search itself. */
export async function untilCreated(find: () => Promise<Result>, deadline: AbortSignal, wait: boolean): Promise<void> {
  while (!(await isThere(find))) {
    if (wait) await awaitedPause(POLL, deadline);
    if (!wait || deadline.aborted) throw new Error("timed out waiting for the condition");
  }
}

async function isThere(find: () => Promise<Result>): Promise<boolean> {
  const result = await find();
  let found = false;
  try {
    await result.visit(() => {
      found = true;
      return Promise.resolve();
    });
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
  return found;
}

/** Answers with the object as it is when the condition is met, or as it was last. Throws when it is not there, or is not so in time. */
export async function untilMet(info: Info, condition: Condition, context: WaitContext): Promise<KubeObject> {
  if (condition.type === "created") return existing(info);
  requireReachable(info);
  if (condition.type === "holds") return objectOf(await settle(info, onlyWanted(condition), context), info, context);
  if (context.deadline.aborted) {
    throw new Error("client rate limiter Wait returned an error: context deadline exceeded");
  }
  return objectOf(await settleDeletion(info, context), info, context);
}

const onlyWanted = (condition: Condition): WaitEnding => ({ wanted: [condition], any: false, failing: [] });

/** The object of a wait that ended well; throws kubectl's error for another end. */
function objectOf(outcome: WaitOutcome, info: Info, { once }: WaitContext): KubeObject {
  if (outcome.type === "met") return outcome.object ?? info.object ?? {};
  if (outcome.type === "notFound") throw outcome.error;
  throw once ? notMet(info) : timedOut(info);
}

function existing({ object }: Info): KubeObject {
  if (object === undefined) throw new Error("resource name must be provided");
  return object;
}

export function requireReachable({ name, mapping }: Info): void {
  if (name === "") throw new Error("resource name must be provided");
  // What --local leaves us with: a kind, and nowhere to look.
  if (mapping.resource.resource === "") throw new Error("nothing can be waited for without asking the server");
}

export const notMet = (info: Info): Error => new Error(`condition not met for ${objectName(info)}`);
export const timedOut = (info: Info): Error => new Error(`timed out waiting for the condition on ${objectName(info)}`);
