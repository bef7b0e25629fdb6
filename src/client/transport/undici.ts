import { type Dispatcher, errors, Pool } from "undici";
import { errorCode } from "../../base/files/path-error.js";
import { untilAborted } from "../../base/async/until-aborted.js";
import { decodeBody } from "./decode-body.js";
import { dial, IDLE_MS, reach } from "./dial.js";
import { type Endpoint, endpointOf, type TransportConfig, type TransportSurroundings } from "./endpoint.js";
import type { NodeHttpsOptions } from "./node-https.js";
import type { ExchangeTrace, Transport, TransportRequest, TransportResponse } from "./transport.js";
import { goNetworkReason, NetworkFailure } from "./go-network-error.js";
import { isTransportError, TransportError } from "./transport-error.js";
import { LARGEST_HEAD, wireHeaders } from "./wire-headers.js";

type UndiciOptions = Pick<NodeHttpsOptions, "maxSockets" | "locate" | "hosts" | "keepsEncoding">;

/**
 * A transport with a connection pool for many requests and long streams. It dials and reports errors as {@link
 * nodeHttpsTransport} does.
 */
export function undiciTransport(
  config: TransportConfig,
  surroundings: TransportSurroundings,
  { maxSockets = 128, locate, hosts, keepsEncoding = false }: UndiciOptions = {},
): Transport {
  const made = endpointOf(config, surroundings);
  const endpoint = { ...made, target: { ...made.target, locate, hosts } };
  const { target } = endpoint;
  const pools = new Pools(endpoint, maxSockets);
  return {
    send: (request) => send(request, endpoint, pools, keepsEncoding),
    renew: () => pools.renew(),
    close: () => pools.destroy(),
    ...(target.tls && { reach: (signal) => reach(target, signal) }),
  };
}

/** The pool that takes requests, and former ones whose exchanges are not over. */
class Pools {
  /** undici does not report which request a connection is for. The first request that waits for a connection traces it. */
  readonly waiting: ExchangeTrace[] = [];
  readonly #endpoint: Endpoint;
  /** The pools do not know of connections that are being made. */
  readonly #dialing = new Set<AbortController>();
  readonly #all = new Set<Pool>();
  #current: Pool;

  constructor(
    endpoint: Endpoint,
    /** How many a pool opens at most. */
    private readonly connections: number,
  ) {
    this.#endpoint = endpoint;
    this.#current = this.#open();
  }

  get current(): Pool {
    return this.#current;
  }

  /** Has a new pool take requests from now on. */
  renew(): void {
    const former = this.#current;
    this.#current = this.#open();
    void former.close().then(
      () => this.#all.delete(former),
      () => {},
    );
  }

  async destroy(): Promise<void> {
    for (const attempt of this.#dialing) attempt.abort(new NetworkFailure("the transport was closed"));
    await Promise.all(Array.from(this.#all, (each) => each.destroy()));
  }

  #open(): Pool {
    // A placeholder origin. dial() makes the connections, with TLS, proxies and Go's errors.
    const pool = new Pool("http://server", {
      connections: Number.isFinite(this.connections) ? this.connections : null,
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: IDLE_MS,
      keepAliveMaxTimeout: IDLE_MS,
      maxHeaderSize: LARGEST_HEAD,
      connect: (_options, callback) => {
        this.#dial().then(
          (socket) => callback(null, socket),
          (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
        );
      },
    });
    this.#all.add(pool);
    return pool;
  }

  #dial(): ReturnType<typeof dial> {
    const attempt = new AbortController();
    this.#dialing.add(attempt);
    return dial({ ...this.#endpoint.target, signal: attempt.signal }, this.waiting.shift()).finally(() =>
      this.#dialing.delete(attempt),
    );
  }
}

async function send(
  request: TransportRequest,
  endpoint: Endpoint,
  { current: pool, waiting }: Pools,
  keepsEncoding: boolean,
): Promise<TransportResponse> {
  const { method, path, body, signal } = request;
  const url = endpoint.origin + path;
  let response: Dispatcher.ResponseData;
  if (request.trace !== undefined) waiting.push(request.trace);
  try {
    // A request that waits for a connection hears of its signal only when it has one.
    signal?.throwIfAborted();
    const answered = pool.request({
      method,
      path: endpoint.absoluteForm ? url : path,
      headers: wireHeaders({
        host: endpoint.hostHeader,
        ...request.headers,
        ...request.repeatedHeaders,
        ...(endpoint.proxyAuthorization !== undefined && { "proxy-authorization": endpoint.proxyAuthorization }),
      }),
      body: body ?? null,
      ...(signal && { signal }),
    });
    response = await untilAborted(answered, signal);
  } catch (error) {
    if (signal?.aborted || isTransportError(error)) throw error;
    const socket = error instanceof errors.SocketError ? (error.socket ?? undefined) : undefined;
    throw new TransportError(goNetworkReason(error, socket), { method, url, code: errorCode(error), cause: error });
  } finally {
    const at = request.trace === undefined ? -1 : waiting.indexOf(request.trace);
    if (at !== -1) {
      waiting.splice(at, 1);
      request.trace?.reused();
    }
  }
  const encoding = keepsEncoding ? undefined : response.headers["content-encoding"];
  return {
    status: response.statusCode,
    headers: response.headers,
    body: decodeBody(response.body, typeof encoding === "string" ? encoding : undefined, (error) =>
      signal?.aborted && error instanceof Error ? error : new TransportError("unexpected EOF", { cause: error }),
    ),
  };
}
