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
import { inParallel } from "../../base/async/in-parallel.js";
import { aggregate } from "../../resource/visitor.js";

const POLL = 500;

/**
 * Repeats the search every half second until it finds an object; without `wait` it searches once. Throws when nothing was found
 * in time, and an error of the search itself.
 */
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

/**
 * Waits until the condition holds, and resolves with the object at that time or, for a deletion, as it was last. Throws when the object
 * does not exist, or the condition does not hold in time.
 */
export async function untilMet(info: Info, condition: Condition, context: WaitContext): Promise<KubeObject> {
  if (condition.type === "created") return existing(info);
  requireReachable(info);
  if (condition.type === "holds") return objectOf(await settle(info, onlyWanted(condition), context), info, context);
  if (context.deadline.aborted) throw new Error("context deadline exceeded");
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

function requireReachable({ name, mapping }: Info): void {
  if (name === "") throw new Error("resource name must be provided");
  // What --local leaves us with: a kind, and nowhere to look.
  if (mapping.resource.resource === "") throw new Error("nothing can be waited for without asking the server");
}

const notMet = (info: Info): Error => new Error(`condition not met for ${objectName(info)}`);
const timedOut = (info: Info): Error => new Error(`timed out waiting for the condition on ${objectName(info)}`);

/** When the wait for an object ends, with kubets' own --any and --fail-on. */
export interface Ending {
  readonly wanted: readonly Condition[];
  /** One of `wanted` will do; else each must have held, one after the other. */
  readonly any: boolean;
  readonly failing: readonly FailCondition[];
}

/** A condition whose truth fails the wait. */
export interface FailCondition {
  /** As it was given, for the error. */
  readonly text: string;
  readonly condition: Condition;
}

/** The object is as it must not be. */
class FailedEarly extends Error {
  override readonly name = "FailedEarly";

  constructor(info: Info, text: string) {
    super(`${objectName(info)} has come to what --fail-on names: ${text}`);
  }
}

/** Below the connections that one client holds to a server. */
const AT_A_TIME = 20;

/**
 * Waits for all objects concurrently; `met` is called with each as its wait ends. The first object that meets a failing condition
 * ends the wait for all. Other failures are thrown when all waits have ended.
 */
export async function waitTogether(
  infos: readonly Info[],
  ending: Ending,
  contextOf: (info: Info) => WaitContext,
  met: (info: Info, object: KubeObject) => void,
): Promise<void> {
  const stop = new AbortController();
  const failures: unknown[] = [];
  const wait = async (info: Info): Promise<void> => {
    const context = contextOf(info);
    const deadline = AbortSignal.any([context.deadline, stop.signal]);
    const outcome = await untilSettled(info, ending, { ...context, deadline }).then(
      (object) => ({ object }),
      (error: unknown) => ({ error }),
    );
    if ("object" in outcome) met(info, outcome.object);
    else if (outcome.error instanceof FailedEarly) throw outcome.error;
    else failures.push(outcome.error);
  };
  try {
    await inParallel(infos, AT_A_TIME, wait);
  } finally {
    stop.abort();
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw aggregate(failures);
}

/**
 * Answers with the object as it is when what is wanted holds, as it was last when that is its end. Throws as soon as a failing
 * condition holds, when the object is not there and its end is not waited for, and when it is not so in time.
 */
async function untilSettled(info: Info, { wanted, any, failing }: Ending, context: WaitContext): Promise<KubeObject> {
  requireReachable(info);
  const conditions = failing.map(({ condition }) => condition);
  const outcome = await settle(info, { wanted, any, failing: conditions }, context);
  switch (outcome.type) {
    case "met":
      return outcome.object ?? info.object ?? {};
    case "failed": {
      const failed = failing.find(({ condition }) => condition === outcome.condition);
      throw new FailedEarly(info, failed?.text ?? "");
    }
    case "notFound":
      throw context.once ? notMet(info) : outcome.error;
    case "timedOut":
      throw context.once ? notMet(info) : timedOut(info);
  }
}
