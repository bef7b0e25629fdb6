import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
} from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { errorCode } from "../../base/files/path-error.js";
import { untilAborted } from "../../base/async/until-aborted.js";
import { decodeBody } from "./decode-body.js";
import { addressesOf, dial } from "./dial.js";
import { type Endpoint, endpointOf, type TransportConfig, type TransportSurroundings } from "./endpoint.js";
import type { ExchangeTrace, Transport, TransportRequest, TransportResponse } from "./transport.js";
import { abortReason, transportError } from "./failed-exchange.js";
import { goNetworkReason, NetworkFailure } from "./go-network-error.js";
import { nodeHttpsTransport, type NodeHttpsOptions } from "./node-https.js";
import { isHttp2Disabled, PeerPulse, type PulseTimes, pulseTimes } from "./peer-pulse.js";
import { TransportError } from "./transport-error.js";
import { wireHeaders } from "./wire-headers.js";

export interface Http2Options extends NodeHttpsOptions {
  /** Default: {@link pulseTimes}. */
  readonly pulse?: PulseTimes | undefined;
}

/** What all connections of a transport have in common. */
interface Connecting {
  readonly endpoint: Endpoint;
  readonly pulse: PulseTimes | undefined;
  readonly keepsEncoding: boolean;
}

/** How often a request is sent that no server has begun: as often as by Go. */
const MOST_TRIES = 7;
/** How long a connection without requests stays open, in milliseconds: as Go's transport keeps it. */
const IDLE_MS = 90_000;
/** Node sends no head over HTTP/2 that takes more than 65,536 bytes. */
const LONGEST_HEAD = 60_000;
/** Bytes that the server may send ahead of the readers: of a stream, and of a connection. Those of Go's transport. */
const STREAM_WINDOW = 4 * 2 ** 20;
const CONNECTION_WINDOW = 2 ** 30;

/**
 * A transport for long streams: over HTTP/2 where the server offers it, whose connections are tested by PING while they are
 * silent, else over HTTP/1.1. It dials and reports errors as {@link nodeHttpsTransport} does.
 */
export function http2Transport(
  config: TransportConfig,
  surroundings: TransportSurroundings,
  options: Http2Options = {},
): Transport {
  const endpoint = endpointOf(config, surroundings);
  const { tls } = endpoint.target;
  if (tls === undefined || isHttp2Disabled(surroundings.env)) return nodeHttpsTransport(config, surroundings, options);
  const { locate, hosts } = options;
  const target = { ...endpoint.target, tls: { ...tls, ALPNProtocols: ["h2", "http/1.1"] }, locate, hosts };
  const pulse = options.pulse ?? pulseTimes(surroundings.env);
  const connecting = { endpoint: { ...endpoint, target }, pulse, keepsEncoding: options.keepsEncoding === true };
  return new Http2Transport(connecting, (first) => nodeHttpsTransport(config, surroundings, { ...options, first }));
}

/** A connection that is being made. */
interface Attempt {
  readonly made: Promise<void>;
  readonly controller: AbortController;
  /** How many requests wait for it. */
  waiting: number;
}

class Http2Transport implements Transport {
  readonly #connections = new Set<Connection>();
  #attempt: Attempt | undefined;
  /** Of a server that has no HTTP/2. */
  #http1: Transport | undefined;
  /** Of requests with long heads. */
  #longHeads: Transport | undefined;

  constructor(
    private readonly connecting: Connecting,
    private readonly http1: (first?: Socket) => Transport,
  ) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, signal } = request;
    signal?.throwIfAborted();
    if (headLength(request) > LONGEST_HEAD) return (this.#longHeads ??= this.http1()).send(request);
    const url = this.connecting.endpoint.origin + path;
    for (let tries = 1; ; tries++) {
      let connection: Connection | undefined;
      try {
        connection = await this.#connection(signal, request.trace);
      } catch (error) {
        throw signal?.aborted ? error : transportError(error, { method, url });
      }
      if (connection === undefined) return (this.#http1 as Transport).send(request);
      try {
        return await connection.send(request);
      } catch (error) {
        // A server that is about to close a connection says which of its streams it has not begun: they go to another one.
        if (!(error instanceof NotBegun) || signal?.aborted) throw error;
        if (tries === MOST_TRIES) throw new TransportError(error.message, { method, url, cause: error });
      }
    }
  }

  renew(): void {
    for (const connection of this.#connections) connection.retire();
    this.#http1?.renew?.();
    this.#longHeads?.renew?.();
  }

  async close(): Promise<void> {
    const failure = new NetworkFailure("the transport was closed");
    this.#attempt?.controller.abort(failure);
    for (const connection of this.#connections) connection.end(failure);
    await Promise.all([this.#http1?.close(), this.#longHeads?.close()]);
  }

  /** A connection that takes one more stream. Undefined where the server has HTTP/1.1 only. */
  async #connection(signal?: AbortSignal, trace?: ExchangeTrace): Promise<Connection | undefined> {
    for (let dialed = false; ; dialed = true) {
      if (this.#http1 !== undefined) return undefined;
      for (const connection of this.#connections) {
        if (!connection.hasRoom) continue;
        if (!dialed) trace?.reused();
        return connection;
      }
      await this.#dialed(signal, trace);
    }
  }

  async #dialed(signal: AbortSignal | undefined, trace: ExchangeTrace | undefined): Promise<void> {
    const attempt = (this.#attempt ??= this.#dial(trace));
    attempt.waiting += 1;
    try {
      await untilAborted(attempt.made, signal);
    } catch (error) {
      attempt.waiting -= 1;
      if (attempt.waiting === 0) attempt.controller.abort(signal?.reason);
      throw error;
    }
  }

  #dial(trace: ExchangeTrace | undefined): Attempt {
    const controller = new AbortController();
    const made = dial({ ...this.connecting.endpoint.target, signal: controller.signal }, trace)
      .then((socket) => {
        if ((socket as TLSSocket).alpnProtocol !== "h2") this.#http1 = this.http1(socket);
        else this.#add(new Connection(socket, this.connecting));
      })
      .finally(() => {
        this.#attempt = undefined;
      });
    return { made, controller, waiting: 0 };
  }

  #add(connection: Connection): void {
    this.#connections.add(connection);
    connection.session.once("close", () => this.#connections.delete(connection));
  }
}

function headLength({ path, headers, repeatedHeaders = {} }: TransportRequest): number {
  const fields = [...Object.entries(headers), ...Object.entries(repeatedHeaders)].flat(2);
  return fields.reduce((sum, text) => sum + text.length, path.length);
}

/** The server has not begun to work on the request. */
class NotBegun extends Error {}

class Connection {
  readonly session: ClientHttp2Session;
  readonly #pulse: PeerPulse | undefined;
  #streams = 0;
  #leaving = false;
  #failure: Error | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(
    private readonly socket: Socket,
    private readonly connecting: Connecting,
  ) {
    const { endpoint, pulse: times } = connecting;
    this.session = connect(endpoint.origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: 128,
    });
    this.session.once("connect", () => this.session.setLocalWindowSize(CONNECTION_WINDOW));
    const peer = {
      received: () => socket.bytesRead,
      ping: (answered: () => void) => void (this.session.destroyed || this.session.ping(answered)),
      lost: () => this.end(new NetworkFailure("http2: client connection lost")),
    };
    this.#pulse = times && new PeerPulse(peer, times);
    this.session.on("goaway", () => {
      this.#leaving = true;
    });
    this.session.on("error", (error) => (this.#failure ??= error));
    this.session.once("close", () => {
      this.#pulse?.stop();
      clearTimeout(this.#idle);
    });
  }

  get hasRoom(): boolean {
    const { session } = this;
    if (session.closed || session.destroyed || this.#leaving) return false;
    return this.#streams < (session.remoteSettings?.maxConcurrentStreams ?? 100);
  }

  /** Takes no more streams, and closes behind the last one. */
  retire(): void {
    this.#leaving = true;
    this.session.close();
  }

  /** Ends all streams with this error. */
  end(error: Error): void {
    this.#failure ??= error;
    this.session.destroy(error);
  }

  send({ method, path, headers, repeatedHeaders, body, signal }: TransportRequest): Promise<TransportResponse> {
    const { origin, hostHeader } = this.connecting.endpoint;
    const url = origin + path;
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    let stream: ClientHttp2Stream;
    try {
      const sent = { ...wireHeaders({ ...headers, ...repeatedHeaders }) };
      if (body !== undefined) sent["content-length"] = String(body.byteLength);
      stream = this.session.request(
        { ":method": method, ":path": path, ":authority": hostHeader, ":scheme": "https", ...sent },
        { endStream: body === undefined },
      );
    } catch (error) {
      return Promise.reject(transportError(error, { method, url }));
    }
    this.#begin(stream);
    const abort = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal?.addEventListener("abort", abort, { once: true });
    stream.once("close", () => signal?.removeEventListener("abort", abort));
    return new Promise((resolve, reject) => {
      const failure = (error: unknown): Error =>
        signal?.aborted ? abortReason(signal) : this.#failureOf(stream, error);
      let answered = false;
      const fail = (error: unknown): void => {
        const reason = failure(error);
        reject(reason instanceof NotBegun || signal?.aborted ? reason : transportError(reason, { method, url }));
      };
      // After the answer's head the reader of its body hears of it.
      stream.on("error", (error) => answered || fail(error));
      stream.once("close", () => answered || fail(undefined));
      stream.once("response", (head, _flags: number, raw?: readonly string[]) => {
        answered = true;
        resolve({
          status: head[":status"] ?? 0,
          headers: separate(head, raw),
          body: this.#body(stream, this.connecting.keepsEncoding ? undefined : head["content-encoding"], failure),
        });
      });
      if (body !== undefined) stream.end(body);
    });
  }

  async *#body(
    stream: ClientHttp2Stream,
    encoding: string | undefined,
    failure: (error: unknown) => Error,
  ): AsyncGenerator<Uint8Array> {
    const wrap = (error: unknown): Error => {
      const reason = failure(error);
      if (!(reason instanceof NetworkFailure)) return reason;
      return new TransportError(reason.message, { code: reason.code, cause: error });
    };
    yield* decodeBody(stream, encoding, wrap);
    // Node takes what was reset for what has ended.
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw wrap(undefined);
  }

  #begin(stream: ClientHttp2Stream): void {
    clearTimeout(this.#idle);
    if (this.#streams === 0) this.session.ref();
    this.#streams += 1;
    this.#pulse?.start();
    stream.once("close", () => {
      this.#streams -= 1;
      if (this.#streams > 0) return;
      // What is idle keeps no process alive.
      if (!this.session.destroyed) this.session.unref();
      this.#pulse?.stop();
      this.#idle = setTimeout(() => this.session.close(), IDLE_MS);
      this.#idle.unref();
    });
  }

  /** Why a stream failed, as Go says it. */
  #failureOf(stream: ClientHttp2Stream, error: unknown): NetworkFailure | NotBegun {
    if (this.#failure !== undefined) {
      return new NetworkFailure(goNetworkReason(this.#failure, addressesOf(this.socket)), errorCode(this.#failure));
    }
    const code = stream.rstCode ?? 0;
    if (code === constants.NGHTTP2_REFUSED_STREAM)
      return new NotBegun(`stream error: stream ID ${stream.id}; REFUSED_STREAM; received from peer`);
    if (errorCode(error) === "ERR_HTTP2_GOAWAY_SESSION")
      return new NotBegun("http2: Transport received Server's graceful shutdown GOAWAY");
    const isReset = code !== constants.NGHTTP2_NO_ERROR && !this.session.destroyed && code !== constants.NGHTTP2_CANCEL;
    if (isReset) {
      return new NetworkFailure(`stream error: stream ID ${stream.id}; ${codeName(code)}; received from peer`);
    }
    return new NetworkFailure("unexpected EOF");
  }
}

/** Node joins headers that came more than once. */
function separate(
  head: IncomingHttpHeaders & IncomingHttpStatusHeader,
  raw: readonly string[] = [],
): TransportResponse["headers"] {
  const headers = Object.create(null) as Record<string, string | string[]>;
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name, value] = [raw[at] ?? "", raw[at + 1] ?? ""];
    if (name.startsWith(":")) continue;
    const known = headers[name];
    headers[name] = known === undefined ? value : [known, value].flat();
  }
  if (raw.length > 0) return headers;
  return Object.fromEntries(Object.entries(head).filter(([name]) => !name.startsWith(":")));
}

/** REFUSED_STREAM and its like, as Go prints them. */
function codeName(code: number): string {
  const named = Object.entries(constants).find(([name, value]) => value === code && CODE_NAMES.has(name));
  return named?.[0].slice("NGHTTP2_".length) ?? `unknown error code ${code}`;
}

const CODE_NAMES: ReadonlySet<string> = new Set(
  [
    "PROTOCOL_ERROR",
    "INTERNAL_ERROR",
    "FLOW_CONTROL_ERROR",
    "SETTINGS_TIMEOUT",
    "STREAM_CLOSED",
    "FRAME_SIZE_ERROR",
    "REFUSED_STREAM",
    "CANCEL",
    "COMPRESSION_ERROR",
    "CONNECT_ERROR",
    "ENHANCE_YOUR_CALM",
    "INADEQUATE_SECURITY",
    "HTTP_1_1_REQUIRED",
  ].map((name) => `NGHTTP2_${name}`),
);
