import { type Dispatcher, errors, Pool } from "undici";
import { errorCode } from "../../base/path-error.js";
import { decodeBody } from "./decode-body.js";
import { dial } from "./dial.js";
import type { ExchangeTrace } from "./exchange-trace.js";
import { endpointOf, type TransportConfig } from "./endpoint.js";
import { goNetworkReason } from "./go-network-error.js";
import type { Transport, TransportRequest, TransportResponse } from "./transport.js";
import { isTransportError, TransportError } from "./transport-error.js";
import { wireHeaders } from "./wire-headers.js";

/** A pool of connections for many requests and long streams; the same dialling and the same errors as the small one. */
export function undiciTransport(config: TransportConfig): Transport {
  const endpoint = endpointOf(config);
  // undici does not say which request a connection is made for: the first that waits for one.
  const waiting: ExchangeTrace[] = [];
  // undici sees a plain origin that means nothing: dial() connects, which speaks TLS, Go's errors and proxies.
  const pool = new Pool("http://server", {
    connections: 128,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: 90_000,
    maxHeaderSize: 1 << 20,
    connect: (_options, callback) => {
      dial(endpoint.target, waiting.shift()).then(
        (socket) => callback(null, socket),
        (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), null),
      );
    },
  });

  async function send(request: TransportRequest): Promise<TransportResponse> {
    const { method, path, body, signal } = request;
    const url = endpoint.origin + path;
    let response: Dispatcher.ResponseData;
    if (request.trace !== undefined) waiting.push(request.trace);
    try {
      response = await pool.request({
        method: method as Dispatcher.HttpMethod,
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
    const encoding = response.headers["content-encoding"];
    return {
      status: response.statusCode,
      headers: response.headers,
      body: decodeBody(response.body, typeof encoding === "string" ? encoding : undefined, (error) =>
        signal?.aborted && error instanceof Error ? error : new TransportError("unexpected EOF", { cause: error }),
      ),
    };
  }

  return { send, close: () => pool.destroy() };
}
