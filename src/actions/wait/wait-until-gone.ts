import { setTimeout as pause } from "node:timers/promises";
import type { WatchFrame } from "../../client/dynamic/watch-events.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { isNotFound, isStatusError } from "../../machinery/errors/status-error.js";
import { Helper } from "../../resource/helper.js";
import { type Info, objectName } from "../../resource/info.js";

export interface WaitUntilGoneOptions {
  readonly client: RestClient;
  /** The object that was deleted; another of its name counts as gone. */
  readonly uid?: string | undefined;
  /** Aborts when the time for all of it is up. */
  readonly deadline: AbortSignal;
  /** Called when the object is still there and a watch of it begins. */
  readonly onWatch?: () => void;
}

const BACK_OFF = 800;
const LONGEST_BACK_OFF = 30_000;

/**
 * Resolves when the server no longer has the object, after finalizers and the grace period. Throws "timed out waiting for the condition on
 * pods/x" at the deadline, and any error of the server but NotFound.
 */
export async function waitUntilGone(info: Info, options: WaitUntilGoneOptions): Promise<void> {
  if (info.name === "") throw new Error("resource name must be provided");
  const helper = new Helper(options.client, info.mapping, { signal: options.deadline, sentBy: "dynamic" });
  try {
    if (await isGone(info, helper, options)) return;
    // A watch that ended without an answer is opened again, less and less often.
    for (
      let wait = BACK_OFF;
      !(await goneInWatch(info, helper, options));
      wait = Math.min(wait * 2, LONGEST_BACK_OFF)
    ) {
      await pause(wait, undefined, { signal: options.deadline });
    }
  } catch (error) {
    if (options.deadline.aborted) throw new Error(`timed out waiting for the condition on ${objectName(info)}`);
    throw error;
  }
}

async function isGone({ namespace, name }: Info, helper: Helper, { uid }: WaitUntilGoneOptions): Promise<boolean> {
  try {
    const object = await helper.get(namespace, name);
    return isNamesake(object.metadata?.uid, uid);
  } catch (error) {
    if (isNotFound(error)) return true;
    throw error;
  }
}

const isNamesake = (found: string | undefined, deleted: string | undefined): boolean =>
  deleted !== undefined && found !== deleted;

/** One watch that begins with what there is. False when it could not be opened or has ended. */
async function goneInWatch(info: Info, helper: Helper, options: WaitUntilGoneOptions): Promise<boolean> {
  let events: AsyncIterable<WatchFrame>;
  options.onWatch?.();
  try {
    events = await helper.watchFromStart(info.namespace, info.name, options.deadline);
  } catch (error) {
    if (isTransportError(error)) return false;
    throw error;
  }
  let seen = false;
  for await (const { type, object } of events) {
    if (type === "DELETED") return true;
    if (type === "BOOKMARK") {
      const ended = object.metadata?.annotations?.["k8s.io/initial-events-end"] === "true";
      if (ended && !seen) return true;
    } else if (type === "ERROR") {
      return false;
    } else {
      seen = true;
      if (isNamesake(object.metadata?.uid, options.uid)) return true;
    }
  }
  if (options.deadline.aborted) throw new Error("aborted");
  return false;
}

/** Whether the server forbids reading the object, in which case the deletion does not wait and does not fail. */
export const cannotWait = (error: unknown): boolean =>
  isStatusError(error) && (error.reason === "Forbidden" || error.reason === "MethodNotAllowed");

/** A deleted object and its uid: a new object of the same name has another uid, and is not waited for. */
export interface DeletedInfo {
  readonly info: Info;
  readonly uid?: string | undefined;
}

export interface WaitForAllOptions {
  readonly client: RestClient;
  /** Milliseconds for all of them; 0 is a week. */
  readonly timeout: number;
  readonly signal: AbortSignal;
  /** As {@link WaitUntilGoneOptions.onWatch}. */
  readonly onWatch?: () => void;
  /** An error that changes nothing, as klog writes it: where in kubectl, and what. */
  readonly complain: (source: string, message: string) => void;
}

const A_WEEK = 7 * 24 * 60 * 60 * 1000;

/** Resolves when all objects are gone, or when the server does not allow reading one of them. Throws when the time is over. */
export async function waitUntilAllGone(deleted: readonly DeletedInfo[], options: WaitForAllOptions): Promise<void> {
  const { client, onWatch } = options;
  const time = new AbortController();
  const timer = setTimeout(() => time.abort(), Math.min(timeLimit(options), 2 ** 31 - 1));
  const deadline = AbortSignal.any([options.signal, time.signal]);
  try {
    for (const { info, uid } of deleted)
      await waitUntilGone(info, { client, uid, deadline, ...(onWatch && { onWatch }) });
  } catch (error) {
    if (!cannotWait(error)) throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** kubectl complains of a limit below zero and then goes on without one. */
function timeLimit({ timeout, complain }: WaitForAllOptions): number {
  if (timeout < 0) complain("until.go:159", '"Timeout for context shall not be negative"');
  return timeout > 0 ? timeout : A_WEEK;
}
