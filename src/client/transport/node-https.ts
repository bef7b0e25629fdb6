import {
  Agent,
  type ClientRequest,
  type IncomingMessage,
  request as httpRequest,
  type RequestOptions,
} from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { errorCode } from "../../base/files/path-error.js";
import { addressesOf, dial, type DialTarget, IDLE_MS, reach } from "./dial.js";
import { decodeBody } from "./decode-body.js";
import { type Endpoint, endpointOf, type TransportConfig, type TransportSurroundings } from "./endpoint.js";
import type { ExchangeTrace, Transport, TransportRequest, TransportResponse } from "./transport.js";
import { abortReason, transportError } from "./failed-exchange.js";
import { goNetworkReason, NetworkFailure } from "./go-network-error.js";
import { TransportError } from "./transport-error.js";
import { LARGEST_HEAD, wireHeaders } from "./wire-headers.js";

export interface NodeHttpsOptions extends Pick<DialTarget, "locate" | "hosts"> {
  readonly maxSockets?: number | undefined;
  /** A connection that is there already, for the first request. */
  readonly first?: Socket | undefined;
  /** Bodies come as the server encodes them. Default: gzip is decoded. */
  readonly keepsEncoding?: boolean | undefined;
}

/** A transport over node:http, which starts fastest and costs a stream least. It reuses connections. */
export function nodeHttpsTransport(
  config: TransportConfig,
  surroundings: TransportSurroundings,
  { maxSockets, locate, hosts, first, keepsEncoding = false }: NodeHttpsOptions = {},
): Transport {
  const made = endpointOf(config, surroundings);
  const endpoint = { ...made, target: { ...made.target, locate, hosts } };
  const agent = new DialingAgent(endpoint, maxSockets, first);
  return {
    send: (request) => send(request, endpoint, agent, keepsEncoding),
    renew: () => agent.retire(),
    ...(endpoint.target.tls && { reach: (signal) => reach(endpoint.target, signal) }),
    close: () => {
      agent.destroy();
      return Promise.resolve();
    },
  };
}

/** An agent that gives node:http the connections of {@link dial}, with TLS and proxies. */
export class DialingAgent extends Agent {
  /** The agent does not know of connections that are being made. */
  readonly #dialing = new Set<AbortController>();
  #first: Socket | undefined;
  readonly #idle = new WeakMap<Duplex, NodeJS.Timeout>();

  constructor(
    private readonly endpoint: Endpoint,
    maxSockets = 25,
    first?: Socket,
  ) {
    super({ keepAlive: true, maxSockets });
    this.#first = first;
  }

  /** `options` are the options of the request that needs the connection. */
  override createConnection(
    options: RequestOptions & Traced,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const first = this.#first;
    this.#first = undefined;
    if (first !== undefined && !first.destroyed) {
      callback?.(null, first);
      return undefined;
    }
    const attempt = new AbortController();
    const { signal } = options;
    const abort = (): void => attempt.abort(signal?.reason);
    this.#dialing.add(attempt);
    signal?.addEventListener("abort", abort, { once: true });
    dial({ ...this.endpoint.target, signal: attempt.signal }, options.trace)
      .finally(() => {
        this.#dialing.delete(attempt);
        signal?.removeEventListener("abort", abort);
      })
      .then(
        (socket) => callback?.(null, socket),
        // Node's types ask for a stream after an error too.
        (error: unknown) =>
          callback?.(error instanceof Error ? error : new Error(String(error)), undefined as unknown as Duplex),
      );
    return undefined;
  }

  /** A connection that was silent for long may be dead, and who uses it would wait in vain. */
  override keepSocketAlive(socket: Duplex): boolean {
    const isKept = (super.keepSocketAlive as (socket: Duplex) => boolean).call(this, socket);
    if (isKept) this.#idle.set(socket, setTimeout(() => socket.destroy(), IDLE_MS).unref());
    return isKept;
  }

  override reuseSocket(socket: Duplex, request: ClientRequest): void {
    clearTimeout(this.#idle.get(socket));
    super.reuseSocket(socket, request);
  }

  /** Closes the connections that wait for a request; those under way go on. */
  retire(): void {
    for (const sockets of Object.values(this.freeSockets)) for (const one of sockets ?? []) one.destroy();
  }

  override destroy(): void {
    this.#first?.destroy();
    for (const attempt of this.#dialing) attempt.abort(new NetworkFailure("the transport was closed"));
    super.destroy();
  }
}

interface Traced {
  readonly trace?: ExchangeTrace | undefined;
}

const REPEATABLE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "TRACE"]);

function send(
  request: TransportRequest,
  endpoint: Endpoint,
  agent: Agent,
  keepsEncoding: boolean,
): Promise<TransportResponse> {
  const { method, path, body, signal } = request;
  if (signal?.aborted) return Promise.reject(abortReason(signal));
  const url = endpoint.origin + path;
  const given: Record<string, string | readonly string[]> = {
    host: endpoint.hostHeader,
    ...request.headers,
    ...request.repeatedHeaders,
    ...(endpoint.proxyAuthorization !== undefined && { "proxy-authorization": endpoint.proxyAuthorization }),
    ...((body !== undefined || method === "POST" || method === "PUT" || method === "PATCH") && {
      "content-length": String(body?.byteLength ?? 0),
    }),
  };
  let headers: Record<string, string | string[]>;
  try {
    headers = wireHeaders(given);
  } catch (error) {
    return Promise.reject(transportError(error, { method, url }));
  }
  let abort: (() => void) | undefined;
  const answered = new Promise<TransportResponse>((resolve, reject) => {
    const options: RequestOptions & Traced & { readonly servername: string } = {
      agent,
      method,
      host: endpoint.target.host,
      port: endpoint.target.port,
      // dial() knows the server name. Node would take milliseconds of the first request to derive it.
      servername: "",
      path: endpoint.absoluteForm ? url : path,
      headers,
      maxHeaderSize: LARGEST_HEAD,
      ...(signal && { signal }),
      ...(request.trace && { trace: request.trace }),
    };
    const outgoing = httpRequest(options);
    const failure = (error: unknown) =>
      signal?.aborted ? abortReason(signal) : transportError(error, { method, url }, addressesOf(outgoing.socket));
    outgoing.on("error", (error) => {
      // The server may have closed a reused connection. It may have executed the request too, so only requests without
      // effects are sent again.
      if (outgoing.reusedSocket && REPEATABLE.has(method) && errorCode(error) === "ECONNRESET" && !signal?.aborted) {
        send(request, endpoint, agent, keepsEncoding).then(resolve, reject);
        return;
      }
      reject(failure(error));
    });
    if (request.trace !== undefined) {
      outgoing.once("socket", () => {
        if (outgoing.reusedSocket) request.trace?.reused();
      });
    }
    outgoing.on("response", (incoming) => {
      resolve({
        status: incoming.statusCode ?? 0,
        headers: singleValues(incoming.headersDistinct),
        body: decodeBody(incoming, keepsEncoding ? undefined : incoming.headers["content-encoding"], (error) =>
          signal?.aborted ? abortReason(signal) : bodyError(error, incoming),
        ),
      });
    });
    // A request that waits for a connection hears of its signal only when it has one.
    abort = () => reject(failure(undefined));
    signal?.addEventListener("abort", abort, { once: true });
    outgoing.end(body);
  });
  return signal === undefined ? answered : answered.finally(() => abort && signal.removeEventListener("abort", abort));
}

function singleValues(headers: NodeJS.Dict<string[]>): TransportResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values?.length === 1 ? values[0] : values]),
  );
}

/** The error of an answer that broke off. Go's has no method and URL. */
function bodyError(error: unknown, incoming: IncomingMessage): Error {
  const code = errorCode(error);
  const cutOff = code === "ECONNRESET" || code === "ERR_STREAM_PREMATURE_CLOSE" || !incoming.complete;
  const reason = error instanceof NetworkFailure || !cutOff ? goNetworkReason(error) : "unexpected EOF";
  return new TransportError(reason, { code, cause: error });
}
