import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { deferred } from "../../../base/async/deferred.js";
import { headerValue } from "../../../base/text/header-text.js";
import { soon } from "../../../base/async/turns.js";
import type { Transport, TransportRequest, TransportResponse, Upgrade } from "../../../client/transport/transport.js";
import { TransportError } from "../../../client/transport/transport-error.js";
import type { Exchange, ResponseWriter, UpgradeOffer } from "../../request/exchange.js";
import { duplexPair } from "../../../machinery/wire/streams/duplex-pair.js";
import { requestEntityTooLarge } from "../../../machinery/errors/status-error.js";
import { ExchangeLifetime } from "./lifetime.js";
import { ChunkQueue } from "./chunk-queue.js";
import { RequestTarget } from "./target.js";

/** Says whether the component that sends requests may still act; once it may not, it never may again. */
export interface Fence {
  /** Asked when a request is sent, when its handling begins, and when its write is handed to the key-value store. */
  isOpen(): boolean;
  /** Aborts when the fence has closed: requests under way then end. */
  readonly closed: AbortSignal;
  /** Called with each request whose handling begins. */
  passed?(request: Pick<TransportRequest, "method" | "path">): void;
}

export interface InProcessOptions {
  /** Runs the whole filter chain. */
  readonly handle: (exchange: Exchange) => Promise<void>;
  /** The caller of a request without an Authorization header. Absent: such requests are anonymous. */
  readonly clientCertificate?: Exchange["clientCertificate"];
  /** Ends watches and other waiting requests. */
  readonly stopping: AbortSignal;
  /** After it, nothing is sent any more. */
  readonly closed: AbortSignal;
  /** Left out: the sender may always act. */
  readonly fence?: Fence | undefined;
}

/**
 * A client's transport into a server of the same process. It copies bytes both ways, so that neither side can change what
 * the other holds. A slow reader holds back the writer. Every request starts in a turn of the event loop of its own.
 *
 * With a `clientCertificate` it is its holder's: what a pod, a program of a pod or a webhook sends goes over a transport without one,
 * on which a request without a token is anonymous. `test/architecture.test.ts` lists the holders.
 */
export function inProcessTransport(options: InProcessOptions): Transport {
  return {
    send: (request) => exchange(request, options),
    upgrade: (request) => upgrade(request, options),
    close: () => Promise.resolve(),
  };
}

/** Asks for another protocol on a connection in memory. */
async function upgrade(request: TransportRequest, options: InProcessOptions): Promise<Upgrade> {
  const [client, server] = duplexPair();
  const protocol = request.headers["upgrade"] ?? "";
  const { signal } = request;
  const abort = (): void => void client.destroy();
  const switched = deferred<Upgrade>();
  const offer: UpgradeOffer = {
    protocol,
    accept(headers) {
      const named = { connection: "Upgrade", upgrade: protocol, ...headers };
      const answer = { status: 101, statusLine: "101 Switching Protocols", headers: joinedValues(named) };
      signal?.addEventListener("abort", abort, { once: true });
      client.once("close", () => signal?.removeEventListener("abort", abort));
      switched.resolve({ answer: { ...answer, body: new Uint8Array() }, socket: client });
      return server;
    },
  };
  const answered = exchange(request, options, { offer, connection: server }).then(
    async ({ status, headers, body }): Promise<Upgrade> => {
      const statusLine = `${status} ${STATUS_CODES[status] ?? ""}`;
      const answer = { status, statusLine, headers: joinedValues(headers), body: await beginningOf(body) };
      client.destroy();
      return { answer, socket: client };
    },
  );
  return Promise.race([switched.promise, answered]);
}

/** As much of an answer's body as a client reads that has asked for another protocol. */
const LARGEST_BODY = 64 * 1024;

async function beginningOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= LARGEST_BODY) break;
  }
  return Buffer.concat(chunks).subarray(0, LARGEST_BODY);
}

const joinedValues = (headers: TransportResponse["headers"]): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name.toLowerCase(), [values ?? []].flat().join(", ")]),
  );

/** A request's wish for another protocol, and the server's end of the connection on which it would go on. */
interface Upgrading {
  readonly offer: UpgradeOffer;
  readonly connection: Duplex;
}

function exchange(
  request: TransportRequest,
  options: InProcessOptions,
  upgrading?: Upgrading,
): Promise<TransportResponse> {
  const { fence } = options;
  const failure = (reason: string) => new TransportError(reason, { method: request.method, url: request.path });
  const closed = () => failure("http: Server closed");
  const fenced = () => failure("the sender's term as the leader is over");
  if (options.closed.aborted) return Promise.reject(closed());
  if (fence?.isOpen() === false) return Promise.reject(fenced());
  if (request.signal?.aborted) return Promise.reject(asError(request.signal.reason));
  const lifetime = new ExchangeLifetime(options.stopping);
  const queue = new ChunkQueue();
  const body = request.body === undefined ? new Uint8Array() : request.body.slice();
  const headers = joined(request);
  const bringsToken = headers["authorization"] !== undefined;
  return new Promise((resolve, reject) => {
    let responded = false;
    let switched = false;
    const fail = (error: Error) => {
      lifetime.leave();
      queue.fail(error);
      reject(error);
    };
    const abort = () => fail(asError(request.signal?.reason));
    const end = () => fail(fenced());
    request.signal?.addEventListener("abort", abort, { once: true });
    fence?.closed.addEventListener("abort", end, { once: true });
    const finish = () => {
      request.signal?.removeEventListener("abort", abort);
      fence?.closed.removeEventListener("abort", end);
      lifetime.leave();
    };
    queue.onAbandoned = finish;
    const target = new RequestTarget(request.path);
    const server: Exchange = {
      method: request.method,
      path: target.path,
      get query() {
        return target.query;
      },
      uri: target.text,
      headers,
      separateHeaders: () => separate(request),
      clientCertificate: bringsToken ? undefined : options.clientCertificate,
      remoteAddress: "127.0.0.1",
      get signal() {
        return lifetime.ending;
      },
      get left() {
        return lifetime.left || fence?.isOpen() === false;
      },
      get isRevoked() {
        return fence?.isOpen() === false;
      },
      body(limit) {
        if (body.length > limit) return Promise.reject(requestEntityTooLarge(`limit is ${limit}`));
        return Promise.resolve(body);
      },
      async *bodyChunks() {
        if (body.length > 0) yield body;
      },
      respond(status, headers): ResponseWriter {
        if (responded) throw new Error("the request was answered already");
        responded = true;
        resolve({ status, headers: copied(headers), body: queue });
        return {
          write: (chunk) => queue.push(chunk),
          async end(chunk) {
            if (chunk !== undefined) await queue.push(chunk, false);
            queue.finish();
          },
        };
      },
      get responded() {
        return responded || switched;
      },
      upgrade: upgrading && {
        protocol: upgrading.offer.protocol,
        accept(headers) {
          switched = true;
          upgrading.connection.once("close", finish);
          return upgrading.offer.accept(headers);
        },
      },
    };
    soon(() => {
      if (fence?.isOpen() === false) {
        end();
        finish();
        return;
      }
      fence?.passed?.(request);
      options
        .handle(server)
        // `fail` has no effect on an exchange that was answered. An exchange that ended without an answer rejects.
        .then(
          () => {
            // Creating an error costs a stack trace.
            if (!queue.finished && !switched) fail(closed());
          },
          (error: unknown) => {
            upgrading?.connection.destroy();
            fail(asError(error));
          },
        )
        .finally(() => {
          if (!switched) finish();
        });
    });
  });
}

function joined({ headers, repeatedHeaders }: TransportRequest): Record<string, string> {
  const joined = Object.create(null) as Record<string, string>;
  for (const [name, text] of Object.entries(headers)) joined[name.toLowerCase()] = headerValue(text);
  for (const [name, texts] of Object.entries(repeatedHeaders ?? {}))
    joined[name.toLowerCase()] = headerValue(texts.join(", "));
  return joined;
}

function separate({ headers, repeatedHeaders }: TransportRequest): Record<string, readonly string[]> {
  const separate = Object.create(null) as Record<string, readonly string[]>;
  for (const [name, text] of Object.entries(headers)) separate[name.toLowerCase()] = [headerValue(text)];
  for (const [name, texts] of Object.entries(repeatedHeaders ?? {}))
    separate[name.toLowerCase()] = texts.map(headerValue);
  return separate;
}

/** A copy that shares nothing: structuredClone() costs a fiftieth of a whole request. */
function copied(headers: TransportResponse["headers"]): TransportResponse["headers"] {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? [...value] : value]),
  );
}

const asError = (reason: unknown): Error => (reason instanceof Error ? reason : new Error(String(reason)));
