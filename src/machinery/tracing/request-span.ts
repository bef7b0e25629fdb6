import { AsyncLocalStorage } from "node:async_hooks";

/** The fields of a span or a step, in this order. */
export type SpanFields = Readonly<Record<string, string | number | boolean>>;

/**
 * The kind of a part of a span: "measured" parts are also in the log of slow requests; "internal" and "client" parts are in the
 * trace only. A client part is a request to another program.
 */
export type PartKind = "measured" | "internal" | "client";

/** A part of a request's work, from its start to its end. */
export interface RequestSpan {
  /** Of the request, at most 64 characters. */
  readonly auditId: string;
  readonly hasEnded: boolean;
  /** What the spans of verbs and the log of slow requests say of the request. */
  readonly requestFields: SpanFields;
  /** Headers by which a request that is sent for this part continues the trace: traceparent, tracestate, baggage. */
  readonly headers: Readonly<Record<string, string>>;
  /** Notes that a step of the part is done. */
  step(name: string, fields?: SpanFields): void;
  /** Starts a part of this part. */
  part(name: string, fields: SpanFields, kind: PartKind): RequestSpan;
  /** Says more about the part. */
  add(fields: SpanFields): void;
  failed(error: unknown): void;
  /** Ends the part. The log tells of it when it took at least `threshold` milliseconds; default 500. */
  end(threshold?: number): void;
  /** Runs work such that other code of the process finds the span in its own way. */
  run<T>(work: () => T): T;
}

/** Work that belongs to no request, as the log of slow work has it. */
export interface TimedWork {
  readonly name: string;
  readonly fields: SpanFields;
  /** In milliseconds: work that takes as long is logged. */
  readonly threshold: number;
}

/** Runs work, and logs it where it was slow. */
export type RunTimed = <T>(work: TimedWork, run: () => Promise<T>) => Promise<T>;

const spans = new AsyncLocalStorage<RequestSpan>();

/** The span of the running code. Code that continues after its span has ended has none, and neither has code of an untraced request. */
export function currentSpan(): RequestSpan | undefined {
  const span = spans.getStore();
  return span?.hasEnded === true ? undefined : span;
}

/** How much work runs for spans. */
let running = 0;

/**
 * Runs work for a span. While any does, Node 20 makes every promise of the process dearer: when the last has ended, the storage of spans is
 * disabled until the next begins. Otherwise one header of one caller would slow all requests from then on.
 */
export function inSpan<T>(span: RequestSpan, work: () => T): T {
  running += 1;
  let result: T;
  try {
    result = spans.run(span, () => span.run(work));
  } catch (error) {
    leave();
    throw error;
  }
  if (result instanceof Promise) result.then(leave, leave);
  else leave();
  return result;
}

function leave(): void {
  running -= 1;
  if (running === 0) spans.disable();
}

/** Records that a step of the current span is done. */
export const step = (name: string, fields?: SpanFields): void => currentSpan()?.step(name, fields);

/** Runs work as a part of the current span. Without one, it only runs the work. */
export function inPart<T>(
  name: string,
  fields: (span: RequestSpan) => SpanFields,
  work: () => Promise<T>,
  { kind = "measured", threshold }: { readonly kind?: PartKind; readonly threshold?: number } = {},
): Promise<T> {
  const parent = currentSpan();
  return parent === undefined ? work() : ofSpan(parent.part(name, fields(parent), kind), work, threshold);
}

async function ofSpan<T>(span: RequestSpan, work: () => Promise<T>, threshold?: number): Promise<T> {
  try {
    return await inSpan(span, work);
  } finally {
    span.end(threshold);
  }
}

/** Sends an HTTP request for the current span, as a part of it. `send` gets the headers by which the request continues the trace. */
export function sendInPart<T extends { readonly status: number }>(
  method: string,
  url: string,
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const parent = currentSpan();
  if (parent === undefined) return send({});
  const span = parent.part(`HTTP ${method}`, clientFields(method, url), "client");
  return ofSpan(span, async () => {
    try {
      const answer = await send(span.headers);
      span.add({ "http.response.status_code": answer.status });
      return answer;
    } catch (error) {
      span.failed(error);
      throw error;
    }
  });
}

function clientFields(method: string, url: string): SpanFields {
  const fields = { "http.request.method": method, "url.full": url };
  if (!URL.canParse(url)) return fields;
  const { hostname, port } = new URL(url);
  return { ...fields, "server.address": hostname, ...(port !== "" && { "server.port": Number(port) }) };
}
