import type { RestClient } from "../../client/rest/rest-client.js";
import type { Info } from "../../resource/info.js";
import { cannotWait, waitUntilGone } from "./wait-until-gone.js";

/** What was deleted, and which one it was, so that a namesake is not waited for. */
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

/** Resolves when all of them are gone, or the server does not let us look. Throws when the time is over. */
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
