import { textOf } from "../../base/text/byte-text.js";
import type { Clock } from "../../base/time/clock.js";
import type { StatusError } from "../../machinery/errors/status-error.js";
import type { VerboseLog } from "../../machinery/text/klog/klog.js";
import { debuggingTransport } from "../transport/debugging-transport.js";
import type { Transport } from "../transport/transport.js";
import { isUsualEnd } from "../dynamic/watch-events.js";
import { isTransportError } from "../transport/transport-error.js";
import { goDurationText } from "./go-duration-text.js";
import { clientOf, sourceOf } from "./request-source.js";
import type { RestRequest } from "./rest-client.js";
import { startStopwatch } from "../../base/time/timers.js";

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
    // Of another end an ERROR event tells.
    if (isTransportError(error) && isUsualEnd(error.reason)) {
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

/**
 * Prints bytes as Go's hex.Dump does: sixteen bytes a line, after their offset and before their ASCII characters.
 *
 *     00000000  6b 38 73 00 0a 0f 0a 02  76 31 12 09 43 6f 6e 66  |k8s.....v1..Conf|
 */
export function hexDump(bytes: Uint8Array): string {
  let text = "";
  for (let offset = 0; offset < bytes.length; offset += WIDTH) {
    const row = [...bytes.subarray(offset, offset + WIDTH)];
    const pairs = row.map((byte) => byte.toString(16).padStart(2, "0"));
    const columns = `${pairs.slice(0, HALF).join(" ").padEnd(COLUMN)}  ${pairs.slice(HALF).join(" ").padEnd(COLUMN)}`;
    const ascii = row.map((byte) => (byte >= 0x20 && byte <= 0x7e ? String.fromCharCode(byte) : ".")).join("");
    text += `${offset.toString(16).padStart(8, "0")}  ${columns}  |${ascii}|\n`;
  }
  return text;
}

const WIDTH = 16;
const HALF = WIDTH / 2;
/** The width of eight pairs separated by blanks. */
const COLUMN = HALF * 3 - 1;

/** True for a watch that begins with the existing objects. client-go runs a reflector for it. */
const isReflectors = ({ query }: RestRequest): boolean => query?.["sendInitialEvents"] === "true";

const REFLECTOR = "k8s.io/client-go/tools/watch/informerwatcher.go:162";
const LIFE = { type: "*unstructured.Unstructured", resyncPeriod: "0s", reflector: REFLECTOR };
const INITIAL_END = "k8s.io/initial-events-end";

/** Logs the start of a reflector, before the client requests the watch. */
function logReflectorStart(log: VerboseLog): void {
  log.structured(3, "reflector.go:425", "Starting reflector", LIFE);
  log.structured(3, "reflector.go:472", "Listing and watching", { type: LIFE.type, reflector: REFLECTOR });
}

/** Passes the bytes of a watch through. Logs the end of its initial events and the end of the watch. */
async function* reflectedWatch(body: AsyncIterable<Uint8Array>, log: VerboseLog): AsyncGenerator<Uint8Array, void> {
  const elapsed = startStopwatch();
  const decoder = new TextDecoder();
  let totalItems = 0;
  let pending: string | undefined = "";
  try {
    for await (const chunk of body) {
      if (pending !== undefined) {
        const lines: string[] = (pending + decoder.decode(chunk, { stream: true })).split("\n");
        pending = lines.pop() ?? "";
        const end = lines.findIndex((line) => line.includes(INITIAL_END));
        totalItems += end === -1 ? lines.length : end + 1;
        if (end !== -1) {
          pending = undefined;
          logInitialEnd(log, totalItems, elapsed());
        }
      }
      yield chunk;
    }
  } finally {
    log.structured(3, "reflector.go:434", "Stopping reflector", LIFE);
  }
}

function logInitialEnd(log: VerboseLog, totalItems: number, milliseconds: number): void {
  const message = "Exiting watch because received the bookmark that marks the end of initial events stream";
  const duration = `${milliseconds.toFixed(6).replace(/\.?0+$/, "")}ms`;
  log.structured(4, "reflector.go:1080", message, { reflector: REFLECTOR, totalItems, duration });
  log.structured(2, "reflector.go:507", "Caches populated", { type: LIFE.type, reflector: REFLECTOR });
}
