import type { ApiRequest, Filter } from "../request/api-request.js";
import type { Exchange } from "../request/exchange.js";
import { inSpan, type RequestSpan } from "../../machinery/tracing/request-span.js";

/** Traces requests, and names the parts of the trace that filters are. */
export interface RequestTracing {
  /** Runs behind authentication, because only some callers may continue a trace of theirs. */
  readonly filter: Filter;
  /** Makes what a filter and all behind it do a part of the trace. */
  part(name: string, filter: Filter): Filter;
  /** As {@link part}, for what runs before {@link filter}: it is a part of no caller's trace. */
  beginning(name: string, filter: Filter): Filter;
}

/** Passes the caller's trace context on to the servers that are called for its request, where no span of this server is recorded. */
export const passTrace: Filter = (next) => (request) =>
  request.exchange.headers["traceparent"] === undefined ? next(request) : passed(request, () => next(request));

/** Runs the work of a request: the server's requests to other programs during it carry the trace headers of the caller. */
export function passed<T>({ exchange, auditId }: Pick<ApiRequest, "exchange" | "auditId">, work: () => T): T {
  const headers = traceHeaders(exchange);
  return headers === undefined ? work() : inSpan(new PassedSpan(headers, auditId), work);
}

/** A trace context as W3C writes it in the header traceparent. */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  readonly flags: number;
}

const PARENT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a traceparent; undefined for one that W3C's recommendation has servers ignore. */
export function parseTraceParent(header: string | undefined): TraceParent | undefined {
  const [, version = "ff", traceId = "", spanId = "", flags = "", rest] = PARENT.exec(header ?? "") ?? [];
  if (version === "ff" || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  // Version 00 has nothing behind the flags; later versions may.
  if (version === "00" && rest !== undefined) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 };
}

export const formatTraceParent = ({ traceId, spanId, flags }: TraceParent): string =>
  `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, "0")}`;

/** The headers that propagate the caller's trace; undefined where it has no valid one. */
export function traceHeaders({ headers }: Exchange): Readonly<Record<string, string>> | undefined {
  const parent = parseTraceParent(headers["traceparent"]);
  if (parent === undefined) return undefined;
  return { traceparent: formatTraceParent(parent), ...stateHeaders(headers) };
}

/** The headers tracestate and baggage, which belong to a trace as well. */
export function stateHeaders({ tracestate, baggage }: Exchange["headers"]): Readonly<Record<string, string>> {
  return { ...(tracestate !== undefined && { tracestate }), ...(baggage !== undefined && { baggage }) };
}

/** Stands for the caller's span: every part of the request has its headers. */
export class PassedSpan implements RequestSpan {
  readonly hasEnded = false;
  readonly requestFields = {};

  constructor(
    readonly headers: RequestSpan["headers"],
    readonly auditId: string,
  ) {}

  step(): void {}
  add(): void {}
  failed(): void {}
  end(): void {}

  part(): RequestSpan {
    return this;
  }

  run<T>(work: () => T): T {
    return work();
  }
}
