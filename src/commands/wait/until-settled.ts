import { inParallel } from "../../base/in-parallel.js";
import { followObject } from "../../actions/follow-object.js";
import { isNotFound, notFound } from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { type Info, objectName } from "../../resource/info.js";
import { aggregate } from "../../resource/visitor.js";
import type { Condition } from "./conditions.js";
import { helperFor, timedOut, type UntilContext } from "./until.js";

/** When the wait for an object is over: kubets' own --any and --fail-on. */
export interface Ending {
  readonly wanted: readonly Condition[];
  /** One of `wanted` will do; else each must have held, one after the other. */
  readonly any: boolean;
  readonly failing: readonly FailCondition[];
}

/** What an object must not come to. */
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
 * Waits for all objects side by side; `met` is told of each as its wait ends. The first that comes to a failing condition ends the
 * wait for all. Other failures are thrown when all have come to their end.
 */
export async function waitTogether(
  infos: readonly Info[],
  ending: Ending,
  contextOf: (info: Info) => UntilContext,
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
 * condition holds, when the object is not there and nobody waits for that, and when it is not so in time.
 */
export async function untilSettled(info: Info, ending: Ending, context: UntilContext): Promise<KubeObject> {
  const helper = helperFor(info, context.client);
  const progress = new Progress(info, ending);
  let last = info.object ?? {};
  if (context.once) {
    const object = await present(helper.get(info.namespace, info.name));
    if (progress.settled(object)) return object ?? last;
    throw new Error(`condition not met for ${objectName(info)}`);
  }
  for await (const { type, object } of followObject(helper, info.namespace, info.name, context.deadline)) {
    const now = type === "DELETED" ? undefined : object;
    if (now !== undefined) context.seen(now);
    if (progress.settled(now)) return now ?? last;
    if (type === "SYNCED" && now === undefined) throw notFound(info.mapping.resource, info.name);
    last = now ?? last;
  }
  throw timedOut(info);
}

class Progress {
  readonly #info: Info;
  readonly #ending: Ending;
  #waiting: readonly Condition[];

  constructor(info: Info, ending: Ending) {
    this.#info = info;
    this.#ending = ending;
    this.#waiting = ending.wanted;
  }

  /** Undefined: the object is gone. */
  settled(object: KubeObject | undefined): boolean {
    const { any, failing, wanted } = this.#ending;
    const failed = failing.find(({ condition }) => holds(condition, object));
    if (failed !== undefined) throw new FailedEarly(this.#info, failed.text);
    if (any) return wanted.some((condition) => holds(condition, object));
    let [next] = this.#waiting;
    while (next !== undefined && holds(next, object)) {
      this.#waiting = this.#waiting.slice(1);
      [next] = this.#waiting;
    }
    return next === undefined;
  }
}

function holds(condition: Condition, object: KubeObject | undefined): boolean {
  if (condition.type === "delete") return object === undefined;
  if (object === undefined) return false;
  return condition.type === "holds" ? condition.check(object) : true;
}

/** Undefined when there is none. */
function present(reading: Promise<KubeObject>): Promise<KubeObject | undefined> {
  return reading.catch((error: unknown) => {
    if (isNotFound(error)) return undefined;
    throw error;
  });
}
