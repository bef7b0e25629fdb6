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

/** Tells whether the component that sends requests may still act; a closed fence never opens again. */
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
  if (options.closed.aborted) return Promise.reject(serverClosed(request));
  if (options.fence?.isOpen() === false) return Promise.reject(termOver(request));
  if (request.signal?.aborted) return Promise.reject(asError(request.signal.reason));
  return new InProcessExchange(request, options, upgrading).run();
}

const serverClosed = (request: TransportRequest) => failure(request, "http: Server closed");
const termOver = (request: TransportRequest) => failure(request, "the sender's term as the leader is over");

function failure({ method, path }: TransportRequest, reason: string): TransportError {
  return new TransportError(reason, { method, url: path });
}

/** A request as the server handles it. Its answer goes to the client that has sent it. */
class InProcessExchange implements Exchange {
  readonly method: string;
  readonly headers: Exchange["headers"];
  readonly clientCertificate: Exchange["clientCertificate"];
  readonly remoteAddress = "127.0.0.1";
  readonly upgrade: UpgradeOffer | undefined;
  readonly #request: TransportRequest;
  readonly #options: InProcessOptions;
  readonly #upgrading: Upgrading | undefined;
  readonly #lifetime: ExchangeLifetime;
  readonly #queue = new ChunkQueue();
  readonly #body: Uint8Array;
  readonly #target: RequestTarget;
  readonly #answer = deferred<TransportResponse>();
  #responded = false;
  #switched = false;

  constructor(request: TransportRequest, options: InProcessOptions, upgrading: Upgrading | undefined) {
    this.#request = request;
    this.#options = options;
    this.#upgrading = upgrading;
    this.#lifetime = new ExchangeLifetime(options.stopping);
    this.#body = request.body === undefined ? new Uint8Array() : request.body.slice();
    this.#target = new RequestTarget(request.path);
    this.method = request.method;
    this.headers = joined(request);
    this.clientCertificate = this.headers["authorization"] === undefined ? options.clientCertificate : undefined;
    this.upgrade = upgrading && {
      protocol: upgrading.offer.protocol,
      accept: (headers) => this.#switch(upgrading, headers),
    };
  }

  get path(): string {
    return this.#target.path;
  }

  get query(): URLSearchParams {
    return this.#target.query;
  }

  get uri(): string {
    return this.#target.text;
  }

  get signal(): AbortSignal {
    return this.#lifetime.ending;
  }

  get left(): boolean {
    return this.#lifetime.left || this.isRevoked;
  }

  get isRevoked(): boolean {
    return this.#options.fence?.isOpen() === false;
  }

  get responded(): boolean {
    return this.#responded || this.#switched;
  }

  separateHeaders(): Readonly<Record<string, readonly string[]>> {
    return separate(this.#request);
  }

  get bodyLength(): number {
    return this.#body.length;
  }

  body(limit: number): Promise<Uint8Array> {
    if (this.#body.length > limit) return Promise.reject(requestEntityTooLarge(`limit is ${limit}`));
    return Promise.resolve(this.#body);
  }

  async *bodyChunks(): AsyncGenerator<Uint8Array> {
    if (this.#body.length > 0) yield this.#body;
  }

  respond(status: number, headers: TransportResponse["headers"]): ResponseWriter {
    if (this.#responded) throw new Error("the request was answered already");
    this.#responded = true;
    const queue = this.#queue;
    this.#answer.resolve({ status, headers: copied(headers), body: queue });
    return {
      write: (chunk) => queue.push(chunk),
      async end(chunk) {
        if (chunk !== undefined) await queue.push(chunk, false);
        queue.finish();
      },
    };
  }

  /** Has the server handle the request, in a turn of the event loop of its own. Resolves to the answer. */
  run(): Promise<TransportResponse> {
    this.#request.signal?.addEventListener("abort", this.#abort, { once: true });
    this.#options.fence?.closed.addEventListener("abort", this.#revoke, { once: true });
    this.#queue.onAbandoned = this.#finish;
    soon(() => this.#begin());
    return this.#answer.promise;
  }

  #begin(): void {
    if (this.isRevoked) {
      this.#revoke();
      this.#finish();
      return;
    }
    this.#options.fence?.passed?.(this.#request);
    this.#options
      .handle(this)
      // `#fail` has no effect on an exchange that was answered. An exchange that ended without an answer rejects.
      .then(
        () => {
          // Creating an error costs a stack trace.
          if (!this.#queue.finished && !this.#switched) this.#fail(serverClosed(this.#request));
        },
        (error: unknown) => {
          this.#upgrading?.connection.destroy();
          this.#fail(asError(error));
        },
      )
      .finally(() => {
        if (!this.#switched) this.#finish();
      });
  }

  #switch({ offer, connection }: Upgrading, headers: Parameters<UpgradeOffer["accept"]>[0]): Duplex {
    this.#switched = true;
    connection.once("close", this.#finish);
    return offer.accept(headers);
  }

  #fail(error: Error): void {
    this.#lifetime.leave();
    this.#queue.fail(error);
    this.#answer.reject(error);
  }

  readonly #abort = (): void => this.#fail(asError(this.#request.signal?.reason));

  readonly #revoke = (): void => this.#fail(termOver(this.#request));

  readonly #finish = (): void => {
    this.#request.signal?.removeEventListener("abort", this.#abort);
    this.#options.fence?.closed.removeEventListener("abort", this.#revoke);
    this.#lifetime.leave();
  };
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
