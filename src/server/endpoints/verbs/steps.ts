import { errorMessage } from "../../../base/text/error-message.js";
import { isTrue } from "../../request/request-info.js";
import type { ApiRequest, Handler } from "../../request/api-request.js";
import { isFailure, noteFailure } from "../../request/failure-stack.js";
import { isStatusError } from "../../../machinery/errors/status-error.js";
import { respondStatus } from "./answer.js";
import { currentSpan, inPart, inSpan, type RequestSpan, step } from "../../../machinery/tracing/request-span.js";

/** The names of verbs' parts in traces and in the log of slow requests. */
const NAMES: ReadonlyMap<string, string> = new Map([
  ["get", "Get"],
  ["list", "List"],
  ["create", "Create"],
  ["update", "Update"],
  ["patch", "Patch"],
  ["delete", "Delete"],
  ["deletecollection", "Delete"],
]);

/** Makes the work of a verb a part of its request's trace. */
export function inVerbPart(verb: string, handle: Handler): Handler {
  if (verb === "watch") return (request) => watchInPart(request, handle);
  const name = NAMES.get(verb);
  if (name === undefined) return handle;
  return (request) =>
    currentSpan() === undefined
      ? handle(request)
      : inPart(
          name,
          (span) => span.requestFields,
          () => answeringErrors(request, handle),
        );
}

/** Answers what a verb rejects as a part of it, as kube-apiserver's handlers do. What is no refusal is answered and reported outside. */
async function answeringErrors(request: ApiRequest, handle: Handler): Promise<void> {
  try {
    await handle(request);
  } catch (error) {
    if (!isStatusError(error) || request.isCancelled || request.exchange.responded) throw error;
    if (isFailure(error.status.code)) noteFailure(request.added, error);
    await respondStatus(request, error.status);
  }
}

/** Of a watch, the state that it begins with is a part. */
async function watchInPart(request: ApiRequest, handle: Handler): Promise<void> {
  const parent = currentSpan();
  const { query } = request.exchange;
  const sendsState = isTrue(query.get("sendInitialEvents")) && isTrue(query.get("allowWatchBookmarks"));
  if (parent === undefined || !sendsState) return handle(request);
  const span = parent.part("WatchList", parent.requestFields, "measured");
  const onInitialized = (): void => {
    request.onInitialized?.();
    if (!span.hasEnded) span.end();
  };
  try {
    await inSpan(span, () => handle(request.with({ onInitialized })));
  } finally {
    endUnlessEnded(span);
  }
}

/** Ends a part that lasts until the state is sent. A watch that ends before says nothing about how long the state takes. */
export function endUnlessEnded(span: RequestSpan | undefined): void {
  if (span?.hasEnded === false) span.end(Number.POSITIVE_INFINITY);
}

/** Notes the steps of a write; the request's body has `length` bytes. */
export async function storeInSteps<T>(length: number, write: () => Promise<T>): Promise<T> {
  if (currentSpan() === undefined) return write();
  step("About to store object in database");
  try {
    const result = await write();
    step("Write to database call succeeded", { len: length });
    return result;
  } catch (error) {
    step("Write to database call failed", { len: length, err: errorMessage(error) });
    throw error;
  }
}

/** Notes the steps of an answer. */
export async function answerInSteps(respond: () => Promise<void>): Promise<void> {
  if (currentSpan() === undefined) return respond();
  step("About to write a response");
  try {
    await respond();
  } finally {
    step("Writing http response done");
  }
}
