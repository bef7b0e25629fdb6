import { STATUS_CODES } from "node:http";
import { isIP, type Socket } from "node:net";
import type { Clock } from "../../base/time/clock.js";
import { goQuote } from "../../base/text/go-quote.js";
import type { LogValues, VerboseLog } from "../../machinery/text/klog/klog.js";
import type { Transport, TransportRequest, TransportResponse, ExchangeTrace } from "./transport.js";
import { isTransportError } from "./transport-error.js";
import { startStopwatch } from "../../base/time/timers.js";
import { goNetworkReason } from "./go-network-error.js";

/** Headers with the names in Go's canonical form. */
type LoggedHeaders = readonly (readonly [name: string, values: readonly string[]])[];

/** Capitalizes each part of a name: `X-From-Cache`. */
export const canonicalName = (name: string): string =>
  name.toLowerCase().replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());

/** Prints a line per value, sorted by name, with masked credentials. */
export function headerLines(headers: LoggedHeaders): string {
  return headers
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, values]) => values.map((value) => `${name}: ${maskedValue(name, value)}\n`))
    .join("");
}

const KNOWN_SCHEMES: ReadonlySet<string> = new Set(["bearer", "basic", "negotiate"]);

/** Masks an Authorization header after its scheme, or as a whole where the scheme is unknown. Keeps other headers. */
export function maskedValue(name: string, value: string): string {
  if (name.toLowerCase() !== "authorization" || value === "") return value;
  const space = value.indexOf(" ");
  const scheme = space > 0 ? value.slice(0, space) : value;
  if (!KNOWN_SCHEMES.has(scheme.toLowerCase())) return "<masked>";
  return value.length > scheme.length + 1 ? `${scheme} <masked>` : scheme;
}

const LOOKED_UP = "round_trippers.go:547";
const DIAL_FAILED = "round_trippers.go:560";
const DIALED = "round_trippers.go:562";

/** Logs the steps of an exchange's connection as they happen, and keeps their times for the line at its end. */
class ConnectionTiming implements ExchangeTrace {
  readonly #elapsed = startStopwatch();
  #dns = 0;
  #dial = 0;
  #handshake = 0;
  #reusedAfter: number | undefined;
  #connectedAfter: number | undefined;

  constructor(private readonly log: VerboseLog) {}

  dialing(socket: Socket, host: string, port: number): void {
    const start = this.#elapsed();
    let addresses: string[] = [];
    let dialing = start;
    let tried = false;
    const lookedUp = (): void => {
      if (addresses.length === 0) return;
      dialing = this.#elapsed();
      this.#dns = dialing - start;
      const address = addresses.map((ip) => ({ IP: ip, Zone: "" }));
      this.log.structured(9, LOOKED_UP, "HTTP Trace: DNS Lookup resolved", { host, address });
      addresses = [];
    };
    const dialed = (ip: string, error?: unknown): void => {
      tried = true;
      this.#dial = this.#elapsed() - dialing;
      this.#dialed(isIP(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`, error);
    };
    // The socket emits a lookup event for each address of a name, before it tries the first.
    socket.on("lookup", (error: unknown, address: string) => {
      if (!error && isIP(host) === 0) addresses.push(address);
    });
    socket.on("connectionAttempt", lookedUp);
    socket.on("connectionAttemptFailed", (ip: string, _port: number, _family: number, error: unknown) =>
      dialed(ip, error),
    );
    socket.once("connect", () => dialed(socket.remoteAddress ?? host));
    socket.once("error", (error: Error & { readonly address?: string }) => {
      lookedUp();
      if (!tried && error.address !== undefined) dialed(error.address, error);
    });
  }

  shookHands(milliseconds: number): void {
    this.#handshake = milliseconds;
    this.#connectedAfter = this.#elapsed();
  }

  reused(): void {
    this.#reusedAfter = this.#elapsed();
  }

  /** The times in client-go's order. An answer from a cache has no connection and no processing time of a server. */
  values(answered: boolean): LogValues {
    const connection =
      this.#reusedAfter === undefined
        ? {
            dnsLookupMilliseconds: Math.floor(this.#dns),
            dialMilliseconds: Math.floor(this.#dial),
            tlsHandshakeMilliseconds: Math.floor(this.#handshake),
          }
        : { getConnectionMilliseconds: Math.floor(this.#reusedAfter) };
    const sent = this.#reusedAfter ?? this.#connectedAfter;
    if (!answered || sent === undefined) return connection;
    return { ...connection, serverProcessingMilliseconds: Math.floor(this.#elapsed() - sent) };
  }

  #dialed(address: string, error: unknown): void {
    const values = { network: "tcp", address };
    if (error !== undefined) {
      this.log.structured(9, DIAL_FAILED, "HTTP Trace: Dial failed", { ...values, err: goNetworkReason(error) });
      return;
    }
    this.#connectedAfter = this.#elapsed();
    this.log.structured(9, DIALED, "HTTP Trace: Dial succeed", values);
  }
}

export interface DebuggingOptions {
  readonly log: VerboseLog;
  readonly clock: Clock;
  /** scheme://host[:port] of the logged URLs. */
  readonly origin: string;
  /** Request headers that the log omits, because client-go adds them below its debugging round tripper. Lower-case names. */
  readonly hidden: ReadonlySet<string>;
}

const FILE = "round_trippers";
const REQUEST = `${FILE}.go:527`;
const RESPONSE = `${FILE}.go:632`;

/**
 * Logs each exchange of `inner` as client-go's debugging round tripper does: the end of the exchange from level 6, the
 * request's headers from 7, the answer's from 8, a curl command and times from 9. It logs failed exchanges too.
 */
export function debuggingTransport(inner: Transport, options: DebuggingOptions): Transport {
  const { log } = options;
  const level = [9, 8, 7, 6].find((one) => log.enabled(one, FILE));
  if (level === undefined) return inner;
  return {
    send: (request) => loggedSend(inner, request, { ...options, level }),
    close: () => inner.close(),
  };
}

async function loggedSend(
  inner: Transport,
  request: TransportRequest,
  options: DebuggingOptions & { readonly level: number },
): Promise<TransportResponse> {
  const { log, clock, level, origin, hidden } = options;
  const { method } = request;
  const url = origin + request.path;
  const headers = requestHeaders(request, hidden);
  if (level >= 9) log.structured(level, REQUEST, "Request", { curlCommand: curlCommand(method, url, headers) });
  else if (level >= 7) log.structured(level, REQUEST, "Request", { verb: method, url, headers: headerLines(headers) });

  const timing = level >= 9 ? new ConnectionTiming(log) : undefined;
  const start = clock.now();
  const finish = (answer?: TransportResponse): void => {
    const values: LogValues = {
      ...((level === 6 || level >= 9) && { verb: method, url }),
      status: answer === undefined ? "" : statusText(answer.status),
      ...(level >= 8 && { headers: answer === undefined ? "" : headerLines(responseHeaders(answer, origin)) }),
      milliseconds: Math.floor(clock.now() - start),
      ...timing?.values(answer !== undefined),
    };
    log.structured(level, RESPONSE, "Response", values);
  };
  try {
    const answer = await inner.send({ ...request, showsHeaders: level >= 8, ...(timing && { trace: timing }) });
    finish(answer);
    return answer;
  } catch (error) {
    // An aborted exchange ends without an answer too.
    if (isTransportError(error) || request.signal?.aborted === true) finish();
    throw error;
  }
}

function requestHeaders({ headers, repeatedHeaders }: TransportRequest, hidden: ReadonlySet<string>): LoggedHeaders {
  const all = Object.entries({ ...headers, ...repeatedHeaders }).filter(([name]) => !hidden.has(name));
  return all.map(([name, value]) => [canonicalName(name), typeof value === "string" ? [value] : value]);
}

/** Headers of the body's transfer. Go's HTTP client removes them from the answer. */
const OF_THE_BODY = new Set(["transfer-encoding", "trailer"]);
/** Headers that only HTTP/1.1 has. The transport uses HTTP/1.1 with https servers, client-go HTTP/2. */
const OF_THE_CONNECTION = new Set(["connection", "keep-alive"]);

function responseHeaders({ headers }: TransportResponse, origin: string): LoggedHeaders {
  const unpacked = headers["content-encoding"] === "gzip";
  const shown = (name: string): boolean =>
    !OF_THE_BODY.has(name) &&
    !(unpacked && (name === "content-encoding" || name === "content-length")) &&
    !(origin.startsWith("https:") && OF_THE_CONNECTION.has(name));
  return Object.entries(headers).flatMap(([name, value]) =>
    value === undefined || !shown(name) ? [] : [[canonicalName(name), typeof value === "string" ? [value] : value]],
  );
}

function curlCommand(method: string, url: string, headers: LoggedHeaders): string {
  const sorted = headers.toSorted(([a], [b]) => (a < b ? -1 : 1));
  const flags = sorted.flatMap(([name, values]) =>
    values.map((value) => ` -H ${goQuote(`${name}: ${maskedValue(name, value)}`)}`),
  );
  return `curl -v -X${method} ${flags.join("")} '${url}'\n`;
}

/** The codes that Go names otherwise than Node. */
const GO_NAMES: Readonly<Record<number, string>> = {
  203: "Non-Authoritative Information",
  413: "Request Entity Too Large",
  416: "Requested Range Not Satisfiable",
  418: "I'm a teapot",
  509: "",
};

const statusText = (code: number): string => `${code} ${GO_NAMES[code] ?? STATUS_CODES[code] ?? ""}`;
