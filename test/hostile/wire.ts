import { once } from "node:events";
import { type ClientHttp2Session, connect as connectHttp2 } from "node:http2";
import { Agent, request as httpsRequest } from "node:https";
import { connect as connectTls } from "node:tls";
import { TOKEN } from "./classes/raw-http.js";
import type { HostileRequest } from "./hostility.js";
import type { Reach } from "./server-process.js";
import { PATIENCE } from "../helpers/patience.js";

export interface HostileAnswer {
  readonly status: number;
  readonly type: string;
  readonly body: Buffer;
}

export type Protocol = "HTTP/1.1" | "HTTP/2";

/** More of an answer than this is counted, not kept. */
const KEPT_BYTES = 50_000_000;

/** Connections to the server, as its administrator. A reset or an answer that does not come rejects. */
export class Wire {
  readonly #agent: Agent;
  #session: ClientHttp2Session | undefined;

  constructor(private readonly reach: Reach) {
    this.#agent = new Agent({
      ca: reach.caCertificate,
      keepAlive: true,
      maxHeaderSize: 2 ** 20,
    } as ConstructorParameters<typeof Agent>[0]);
  }

  send(request: HostileRequest, protocol: Protocol): Promise<HostileAnswer> {
    const answer =
      request.raw !== undefined
        ? this.#overSocket(request.raw)
        : protocol === "HTTP/2" && headerBytes(request) < HTTP2_HEADER_BYTES
          ? this.#overHttp2(request)
          : this.#overHttp1(request);
    return withPatience(answer);
  }

  close(): void {
    this.#agent.destroy();
    this.#session?.close();
  }

  #headers(request: HostileRequest): Record<string, string> {
    const headers = { authorization: `Bearer ${this.reach.token}`, ...request.headers };
    // A value may hold any byte; the client libraries take them as Latin-1.
    return headers as Record<string, string>;
  }

  #overHttp1(request: HostileRequest): Promise<HostileAnswer> {
    return new Promise((resolve, reject) => {
      const { body } = request;
      const outgoing = httpsRequest(
        {
          ...hostOf(this.reach.url),
          agent: this.#agent,
          method: request.method,
          path: request.path,
          headers: {
            ...this.#headers(request),
            ...(body !== undefined && { "content-length": String(Buffer.byteLength(body)) }),
          },
        },
        (incoming) => {
          const kept = new Kept();
          incoming.on("data", (chunk: Buffer) => kept.add(chunk)).on("error", reject);
          incoming.on("end", () =>
            resolve({
              status: incoming.statusCode ?? 0,
              type: incoming.headers["content-type"] ?? "",
              body: kept.body(),
            }),
          );
        },
      );
      outgoing.on("error", reject).end(body);
    });
  }

  #overHttp2(request: HostileRequest): Promise<HostileAnswer> {
    return new Promise((resolve, reject) => {
      const headers = { ...this.#headers(request), ":method": request.method, ":path": request.path };
      // Else Node ends the stream of a DELETE before its body.
      const stream = this.#open().request(headers, { endStream: request.body === undefined });
      let head: Record<string, unknown> = {};
      const kept = new Kept();
      stream.on("response", (headers) => (head = headers));
      stream.on("data", (chunk: Buffer) => kept.add(chunk)).on("error", reject);
      stream.on("close", () => {
        const status = Number(head[":status"] ?? 0);
        const type = head["content-type"];
        if (status === 0 || stream.rstCode !== 0) reject(new Error(`stream reset with code ${stream.rstCode}`));
        else resolve({ status, type: typeof type === "string" ? type : "", body: kept.body() });
      });
      if (request.body !== undefined) stream.end(request.body);
    });
  }

  #open(): ClientHttp2Session {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) {
      this.#session = connectHttp2(this.reach.url, {
        ca: this.reach.caCertificate,
        maxSendHeaderBlockLength: 2 ** 20,
        // Megabytes: what several large bodies wait in.
        maxSessionMemory: 1000,
      });
      this.#session.on("error", () => {});
    }
    return this.#session;
  }

  async #overSocket({ bytes, cut }: NonNullable<HostileRequest["raw"]>): Promise<HostileAnswer> {
    const { host, port } = hostOf(this.reach.url);
    const socket = connectTls({ host, port, ca: this.reach.caCertificate, ALPNProtocols: ["http/1.1"] });
    const received: Buffer[] = [];
    const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    // A server that has answered may close before it has read everything.
    socket.on("data", (chunk: Buffer) => received.push(chunk)).on("error", () => {});
    await once(socket, "secureConnect");
    const whole = Buffer.from(bytes).toString("latin1").replace(TOKEN, this.reach.token);
    for (const piece of [whole.slice(0, cut), whole.slice(cut)]) {
      socket.write(Buffer.from(piece, "latin1"));
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    await ended;
    return parseAnswer(Buffer.concat(received));
  }
}

/** Node's HTTP/2 (nghttp2) takes no longer header and ends the connection; HTTP/1.1 goes on to a megabyte. */
const HTTP2_HEADER_BYTES = 60_000;

const headerBytes = ({ path, headers = {} }: HostileRequest): number =>
  path.length + Object.values(headers).reduce((sum, value) => sum + value.length, 0);

/** The first bytes of an answer. */
class Kept {
  readonly #chunks: Buffer[] = [];
  #length = 0;

  add(chunk: Buffer): void {
    if (this.#length < KEPT_BYTES) this.#chunks.push(chunk);
    this.#length += chunk.length;
  }

  body(): Buffer {
    return Buffer.concat(this.#chunks);
  }
}

function parseAnswer(bytes: Buffer): HostileAnswer {
  const end = bytes.indexOf("\r\n\r\n");
  const head = bytes.subarray(0, Math.max(end, 0)).toString("latin1");
  const status = /^HTTP\/1\.[01] (\d{3}) /.exec(head)?.[1];
  if (status === undefined) throw new Error("the connection closed without an answer");
  const type = /^content-type: *(.*)$/im.exec(head)?.[1] ?? "";
  return { status: Number(status), type, body: bytes.subarray(end + 4) };
}

function hostOf(url: string): { readonly host: string; readonly port: number } {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port) };
}

function withPatience<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer within two minutes")), PATIENCE);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}
