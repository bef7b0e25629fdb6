import type { ApiRequest } from "./api-request.js";

/** Whether a status says that the server has failed: the line of such a request has a stack. */
export const isFailure = (status: number | undefined): boolean => status !== undefined && status >= 500;

/**
 * Notes where a failure was made, where the request is logged. The first one stays. Of the error only the frames are noted: what it says may quote
 * what nobody should read.
 */
export function noteFailure(added: ApiRequest["added"], error: unknown): void {
  if (added.line === undefined || added.stack !== undefined || !(error instanceof Error)) return;
  added.stack = framesOf(originOf(error).stack ?? "");
}

/** How far causes are followed: an error may be its own. */
const MOST_CAUSES = 10;

/** The error that was there first. */
function originOf(error: Error): Error {
  let origin = error;
  for (let depth = 0; depth < MOST_CAUSES && origin.cause instanceof Error; depth++) origin = origin.cause;
  return origin;
}

/** The request's line in the log says no stack: that it failed was expected, and its code says nothing. */
export function hideFailure(added: ApiRequest["added"]): void {
  added.stack ??= "";
}

const framesOf = (stack: string): string =>
  stack
    .split("\n")
    .filter((line) => line.trimStart().startsWith("at "))
    .join("\n");
