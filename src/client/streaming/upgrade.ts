import type { Socket } from "node:net";
import { connectingClient } from "../rest/connecting-rest-client.js";
import type { RestClient } from "../rest/rest-client.js";
import { addressesOf, dial } from "../transport/dial.js";
import { endpointOf } from "../transport/endpoint.js";
import { errorCode } from "../../base/files/path-error.js";
import { goNetworkReason, NetworkFailure } from "../transport/go-network-error.js";
import type { Transport, TransportRequest, Upgrade, UpgradeAnswer } from "../transport/transport.js";
import { isTransportError, TransportError } from "../transport/transport-error.js";
import { wireHeaders } from "../transport/wire-headers.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";
import { goQuote } from "../../base/text/go-quote.js";

export interface UpgradeRequest {
  readonly method: string;
  /** Absolute, with the query; the server's own path comes before it. */
  readonly path: string;
  /** What asks for the other protocol. Lower-case names. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Requests another protocol from the server on a new connection, with the client's TLS, proxy, credentials and headers. Rejects
 * with a TransportError when there is no answer, and with the signal's reason; the signal also ends the connection later.
 */
export async function upgrade(rest: RestClient, request: UpgradeRequest): Promise<Upgrade> {
  const client = connectingClient(rest);
  const { config, options, surroundings } = client;
  const [, origin = config.server, prefix = ""] = /^([^:]+:\/\/[^/]+)(.*)$/.exec(config.server) ?? [];
  const path = withoutTrailing(prefix, "/") + request.path;
  const where = { method: request.method, url: origin + path };
  const credentials = await client.credentials(where);
  const { signal } = request;
  signal?.throwIfAborted();
  let made: Upgrade | undefined;
  const dialled = async ({ headers, repeatedHeaders }: TransportRequest): Promise<Upgrade> => {
    const tls = { ...config.tls, ...credentials.certificate };
    const { target, hostHeader } = endpointOf({ ...config, tls }, surroundings);
    const head = {
      method: request.method,
      path,
      headers: wireHeaders({ host: hostHeader, ...headers, ...repeatedHeaders }),
    };
    return exchange({ ...target, hosts: options.hosts, tunnel: true, ...(signal && { signal }) }, head, signal);
  };
  const { transport } = options;
  const connect = transport === undefined ? dialled : transport.upgrade;
  if (connect === undefined) throw new Error("the client's transport makes no connections that could be upgraded");
  const send: Transport["send"] = async (asked) => {
    try {
      made = await connect({ ...asked, signal });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      if (isTransportError(error)) throw error;
      throw new TransportError(goNetworkReason(error), { ...where, code: errorCode(error), cause: error });
    }
    const { status, headers: answered } = made.answer;
    return { status, headers: answered, body: (async function* () {})() };
  };
  const carrier: Transport = { send, close: () => Promise.resolve() };
  await (options.log?.around(carrier, origin) ?? carrier).send({
    method: request.method,
    path,
    headers: {
      "user-agent": config.userAgent,
      ...options.headers,
      ...credentials.headers,
      ...single(request.headers),
    },
    repeatedHeaders: { ...credentials.repeatedHeaders, ...repeated(request.headers) },
  });
  if (made === undefined) throw new Error("the log has sent no request");
  if (made.answer.status === 401) credentials.refused();
  return made;
}

async function exchange(
  target: Parameters<typeof dial>[0],
  head: Parameters<typeof upgradeExchange>[1],
  signal: AbortSignal | undefined,
): Promise<Upgrade> {
  const socket = await dial({ ...target, signal });
  const abort = (): void => void socket.destroy();
  signal?.addEventListener("abort", abort, { once: true });
  socket.once("close", () => signal?.removeEventListener("abort", abort));
  if (signal?.aborted) abort();
  try {
    return { answer: await upgradeExchange(socket, head), socket };
  } catch (error) {
    socket.destroy();
    throw new NetworkFailure(goNetworkReason(error, addressesOf(socket)), errorCode(error));
  }
}

type Headers = UpgradeRequest["headers"];

const single = (headers: Headers): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
  );

const repeated = (headers: Headers): Record<string, readonly string[]> =>
  Object.fromEntries(
    Object.entries(headers).filter((entry): entry is [string, readonly string[]] => typeof entry[1] !== "string"),
  );

export interface UpgradeHead {
  readonly method: string;
  /** The target of the request line. */
  readonly path: string;
  /** Lower-case names, Host among them. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
}

/** The longest head of an answer, and the longest beginning of a body. */
const LARGEST_HEAD = 1024 * 1024;
const LARGEST_BODY = 64 * 1024;

/**
 * Sends an HTTP/1.1 request for another protocol and reads the answer. Rejects with Node's error or a NetworkFailure when there is none.
 * The caller ends the socket.
 */
async function upgradeExchange(socket: Socket, { method, path, headers }: UpgradeHead): Promise<UpgradeAnswer> {
  const lines = Object.entries(headers).flatMap(([name, values]) =>
    [values].flat().map((value) => `${canonical(name)}: ${value}`),
  );
  // Headers hold one character per byte.
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1");
  const bytes = new SocketReader(socket);
  try {
    const first = await bytes.line(LARGEST_HEAD);
    const [, statusLine = "", code = ""] = /^HTTP\/1\.[01] ((\d{3})(?: .*)?)$/.exec(first) ?? [];
    if (code === "") throw new NetworkFailure(`malformed HTTP response ${goQuote(first)}`);
    const answered = headersOf(await headerLines(bytes));
    const status = Number(code);
    const body = status === 101 ? new Uint8Array() : await readBody(bytes, answered);
    return { status, statusLine, headers: answered, body };
  } finally {
    bytes.release();
  }
}

const canonical = (name: string): string => name.replaceAll(/(^|-)([a-z])/g, (part) => part.toUpperCase());

async function headerLines(bytes: SocketReader): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let left = LARGEST_HEAD; ; ) {
    const line = await bytes.line(left);
    if (line === "") return lines;
    lines.push(line);
    left -= line.length;
  }
}

function headersOf(lines: readonly string[]): Readonly<Record<string, string>> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon <= 0) continue;
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  return Object.fromEntries(headers);
}

async function readBody(bytes: SocketReader, headers: Readonly<Record<string, string>>): Promise<Uint8Array> {
  if (headers["transfer-encoding"]?.toLowerCase() !== "chunked") {
    const length = headers["content-length"];
    return bytes.upTo(length === undefined ? LARGEST_BODY : Math.min(Number(length) || 0, LARGEST_BODY));
  }
  const chunks: Uint8Array[] = [];
  for (let total = 0; total < LARGEST_BODY; ) {
    const length = Number.parseInt(await bytes.line(1024), 16);
    if (!(length > 0)) break;
    chunks.push(await bytes.upTo(Math.min(length, LARGEST_BODY)));
    if ((await bytes.upTo(2)).length < 2) break;
    total += length;
  }
  return Buffer.concat(chunks);
}

/** Reads a socket step by step, and puts what it has read too much back. */
class SocketReader {
  #bytes: Buffer = Buffer.alloc(0);
  #ended = false;
  #error: Error | undefined;
  #wake: (() => void) | undefined;

  constructor(private readonly socket: Socket) {
    socket.on("data", this.#onData).on("end", this.#onEnd).on("close", this.#onEnd).on("error", this.#onError);
    // A proxy's tunnel comes paused.
    socket.resume();
  }

  /** The next line, without its end. */
  async line(most: number): Promise<string> {
    for (;;) {
      const at = this.#bytes.indexOf("\r\n");
      if (at >= 0) {
        const found = this.#bytes.toString("latin1", 0, at);
        this.#bytes = this.#bytes.subarray(at + 2);
        return found;
      }
      if (this.#bytes.length > most)
        throw new NetworkFailure("net/http: server response headers exceeded 1048576 bytes");
      if (!(await this.#more())) throw new NetworkFailure("unexpected EOF");
    }
  }

  /** So many bytes, or fewer when the socket ends before. */
  async upTo(length: number): Promise<Buffer> {
    while (this.#bytes.length < length && (await this.#more()));
    const found = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(found.length);
    return found;
  }

  release(): void {
    const { socket } = this;
    socket.pause();
    socket.off("data", this.#onData).off("end", this.#onEnd).off("close", this.#onEnd);
    // The listener of errors stays: a socket without one would end the process.
    if (this.#bytes.length > 0 && !socket.destroyed) socket.unshift(this.#bytes);
  }

  /** False at the end. */
  async #more(): Promise<boolean> {
    const before = this.#bytes.length;
    while (this.#bytes.length === before && !this.#ended) await new Promise<void>((resolve) => (this.#wake = resolve));
    if (this.#error !== undefined) throw this.#error;
    return this.#bytes.length > before;
  }

  readonly #onData = (chunk: Buffer): void => {
    this.#bytes = this.#bytes.length === 0 ? chunk : Buffer.concat([this.#bytes, chunk]);
    this.#wake?.();
  };
  readonly #onEnd = (): void => {
    this.#ended = true;
    this.#wake?.();
  };
  readonly #onError = (error: Error): void => {
    this.#error ??= error;
    this.#onEnd();
  };
}
