import type { Transport, TransportRequest, TransportResponse } from "../../../client/transport/transport.js";
import { TransportError } from "../../../client/transport/transport-error.js";
import type { Exchange, ResponseWriter } from "../../request/exchange.js";
import { requestEntityTooLarge } from "../../../machinery/errors/status-error.js";
import { splitTarget } from "./body.js";
import { ChunkQueue } from "./chunk-queue.js";

export interface InProcessOptions {
  /** Runs the whole chain. */
  readonly handle: (exchange: Exchange) => Promise<void>;
  /** Who the caller is when a request carries no Authorization header; absent: nobody. */
  readonly clientCertificate?: Exchange["clientCertificate"];
  readonly stopping: AbortSignal;
}

/**
 * A client's transport into a server of the same process. Bytes are copied both ways, so that neither side can change
 * what the other holds; a response is held back until its reader takes it; every request starts in its own turn of the
 * event loop.
 */
export function inProcessTransport(options: InProcessOptions): Transport {
  return {
    send: (request) => exchange(request, options),
    close: () => Promise.resolve(),
  };
}

function exchange(request: TransportRequest, options: InProcessOptions): Promise<TransportResponse> {
  if (options.stopping.aborted) return Promise.reject(new TransportError("the server has been closed"));
  if (request.signal?.aborted) return Promise.reject(asError(request.signal.reason));
  const gone = new AbortController();
  const queue = new ChunkQueue();
  const body = request.body === undefined ? new Uint8Array() : request.body.slice();
  const anonymous = request.headers["authorization"] !== undefined;
  return new Promise((resolve, reject) => {
    let responded = false;
    const leave = () => {
      const reason: unknown = request.signal?.aborted ? request.signal.reason : new TransportError("the server has been closed");
      gone.abort();
      queue.fail(asError(reason));
      reject(asError(reason));
    };
    const detach = () => {
      request.signal?.removeEventListener("abort", leave);
      options.stopping.removeEventListener("abort", leave);
    };
    request.signal?.addEventListener("abort", leave, { once: true });
    options.stopping.addEventListener("abort", leave, { once: true });
    queue.onAbandoned = () => {
      detach();
      gone.abort();
    };
    const server: Exchange = {
      method: request.method,
      ...splitTarget(request.path),
      headers: { ...request.headers },
      clientCertificate: anonymous ? undefined : options.clientCertificate,
      remoteAddress: "127.0.0.1",
      signal: gone.signal,
      body(limit) {
        if (body.length > limit) return Promise.reject(requestEntityTooLarge(`limit is ${limit}`));
        return Promise.resolve(body);
      },
      respond(status, headers): ResponseWriter {
        responded = true;
        resolve({ status, headers: structuredClone(headers), body: queue });
        return {
          write: (chunk) => queue.push(chunk),
          async end(chunk) {
            detach();
            if (chunk !== undefined) await queue.push(chunk, false);
            queue.finish();
          },
        };
      },
      get responded() {
        return responded;
      },
    };
    setImmediate(() => {
      options.handle(server).catch((error: unknown) => {
        queue.fail(asError(error));
        reject(asError(error));
      });
    });
  });
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
