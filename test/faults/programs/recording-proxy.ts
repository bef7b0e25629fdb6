import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { Agent, request as sendSecurely } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** What a program writes: its name, and the request. */
export interface SeenWrite {
  readonly program: string;
  readonly method: string;
  readonly path: string;
  /** The body of a write of a Lease. */
  readonly lease: { readonly spec?: { readonly holderIdentity?: string } } | undefined;
}

export interface Observer {
  /** Called when a write arrives, before it is handed on. */
  arrived(write: SeenWrite): void;
  /** Called when a write is answered with success. */
  done(write: SeenWrite): void;
}

const READS = new Set(["GET", "HEAD", "OPTIONS"]);
const LEASES = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";

/** Stands between one program and its API server, without TLS, and tells of each write. It speaks as the administrator of `folder`. */
export class RecordingProxy {
  readonly #server: Server;
  readonly #agent: Agent;

  private constructor(server: Server, agent: Agent) {
    this.#server = server;
    this.#agent = agent;
  }

  static async open(program: string, folder: string, port: number, observer: Observer): Promise<RecordingProxy> {
    const [cert, key] = await Promise.all(["admin.crt", "admin.key"].map((name) => readFile(join(folder, name))));
    const agent = new Agent({ keepAlive: true, cert, key, rejectUnauthorized: false });
    const server = createServer((request, response) => {
      void handOn({ program, port, agent, observer }, request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new RecordingProxy(server, agent);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    this.#agent.destroy();
    await closed;
  }
}

interface Route {
  readonly program: string;
  readonly port: number;
  readonly agent: Agent;
  readonly observer: Observer;
}

async function handOn(
  { program, port, agent, observer }: Route,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "", url: path = "", headers } = request;
  const isWrite = !READS.has(method);
  const body = isWrite ? await bytesOf(request) : undefined;
  const isLease = path.split("?")[0]?.startsWith(LEASES) === true && body !== undefined;
  const write = { program, method, path, lease: isLease ? JSON.parse(body.toString("utf8")) : undefined };
  if (isWrite) observer.arrived(write);
  const onward = sendSecurely({ host: "127.0.0.1", port, agent, method, path, headers });
  // A server that was killed breaks the connection of the program as well.
  onward.once("error", () => response.destroy());
  onward.once("response", (answer) => {
    const { statusCode = 502 } = answer;
    if (isWrite && statusCode < 300) observer.done(write);
    response.writeHead(statusCode, answer.headers);
    answer.once("error", () => response.destroy());
    answer.pipe(response);
  });
  response.once("close", () => onward.destroy());
  onward.end(body);
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
