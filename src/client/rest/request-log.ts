import { textOf } from "../../base/text/byte-text.js";
import type { Clock } from "../../base/time/clock.js";
import type { StatusError } from "../../machinery/errors/status-error.js";
import type { VerboseLog } from "../klog.js";
import { debuggingTransport } from "../transport/debugging-transport.js";
import type { Transport } from "../transport/transport.js";
import { isTransportError } from "../transport/transport-error.js";
import { goDurationText } from "./go-duration-text.js";
import { hexDump } from "./hex-dump.js";
import { isReflectors, logReflectorStart, reflectedWatch } from "./reflector-log.js";
import { clientOf, sourceOf } from "./request-source.js";
import type { RestRequest } from "./rest-client.js";

/** Logs the requests of a client. */
export interface RequestLog {
  /** Wraps a transport, or the HTTP cache above it, to log its exchanges. `origin` is scheme://host[:port]. */
  around(inner: Transport, origin: string): Transport;
  requestBody(request: RestRequest): void;
  responseBody(request: RestRequest, body: Uint8Array): void;
  /** Called with the error that an answer holds. */
  failure(request: RestRequest, error: StatusError): void;
  /** Passes the body of a streamed answer through and logs the error that breaks it off. */
  stream(request: RestRequest, body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /** Called before the client retries a request, after it waited `seconds`. `attempt` counts the answers so far. */
  retry(url: string, seconds: number, attempt: number): void;
}

export interface RequestLogOptions {
  readonly log: VerboseLog;
  readonly clock: Clock;
  /** Request headers that client-go adds below its log. Lower-case names. */
  readonly hidden: ReadonlySet<string>;
}

/** Logs as client-go's requests do: bodies from level 8, truncated to 1,024 bytes, at 9 to 10,240, from 10 whole. */
export function requestLog({ log, clock, hidden }: RequestLogOptions): RequestLog {
  const body = (request: RestRequest, title: string, bytes: Uint8Array): void => {
    if (!log.enabled(8, FILE)) return;
    const source = sourceOf(request, title === RESPONSE_BODY);
    log.structured(8, source, title, { body: bodyText(bytes, bodyLimit(log)) });
  };
  return {
    around: (inner, origin) => debuggingTransport(inner, { log, clock, origin, hidden }),
    requestBody: (request) => {
      if (isReflectors(request)) logReflectorStart(log);
      body(request, REQUEST_BODY, request.body ?? NOTHING);
    },
    responseBody: (request, bytes) => body(request, RESPONSE_BODY, bytes),
    failure: (request, error) => {
      if (clientOf(request) === "typed") readAsTyped.add(error);
    },
    stream: (request, bytes) => {
      if (request.query?.["watch"] !== "true") return bytes;
      const watch = loggedWatch(bytes, log);
      return isReflectors(request) ? reflectedWatch(watch, log) : watch;
    },
    retry: (url, seconds, attempt) => {
      const delay = goDurationText(seconds * 1000);
      log.structured(4, "with_retry.go:234", "Got a Retry-After response", { delay, attempt, url });
    },
  };
}

async function* loggedWatch(body: AsyncIterable<Uint8Array>, log: VerboseLog): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    if (isTransportError(error)) {
      const err = error.reason;
      const [level, line, message] =
        err === "unexpected EOF"
          ? ([1, 120, "Unexpected EOF during watch stream event decoding"] as const)
          : ([5, 123, "Unable to decode an event from the watch stream"] as const);
      log.structured(level, `streamwatcher.go:${line}`, message, { err });
    }
    throw error;
  }
}

const readAsTyped = new WeakSet<StatusError>();

/** True for an error that kubectl decodes with one of client-go's typed clients, which drop the kind of the Status. */
export const isReadAsTyped = (error: StatusError): boolean => readAsTyped.has(error);

const FILE = "request";
const REQUEST_BODY = "Request Body";
const RESPONSE_BODY = "Response Body";
const NOTHING = new Uint8Array();

function bodyLimit(log: VerboseLog): number {
  if (log.enabled(10, FILE)) return Infinity;
  return log.enabled(9, FILE) ? 10_240 : 1024;
}

/** Prints a body with a byte below the line feed (a tab is one) as a hex dump, any other as text. */
function bodyText(bytes: Uint8Array, limit: number): string {
  const shown = bytes.some((byte) => byte < 0x0a) ? new TextEncoder().encode(hexDump(bytes)) : bytes;
  if (shown.length <= limit) return textOf(shown);
  return `${textOf(shown.subarray(0, limit))} [truncated ${shown.length - limit} chars]`;
}
