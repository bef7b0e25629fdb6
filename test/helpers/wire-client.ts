import { connect } from "node:http2";
import { Agent, request } from "node:https";
import type { Cluster } from "../../src/cluster/index.js";

export interface WireRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Buffer;
}

/** A plain HTTP client on one connection, as the administrator, with no Kubernetes in it. */
export interface WireClient {
  send(request: WireRequest): Promise<WireAnswer>;
  close(): void;
}

export function http1Client({ url, token, caCertificate }: Cluster): WireClient {
  const agent = new Agent({ ca: caCertificate, keepAlive: true, maxSockets: 1 });
  return {
    send: ({ method = "GET", path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const outgoing = request(`${url}${path}`, {
          agent,
          method,
          headers: { authorization: `Bearer ${token}`, ...headers },
        });
        outgoing.on("error", reject).on("response", (answer) => {
          const chunks: Buffer[] = [];
          answer.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
          answer.on("end", () =>
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) }),
          );
        });
        outgoing.end(body);
      }),
    close: () => agent.destroy(),
  };
}

export function http2Client({ url, token, caCertificate }: Cluster): WireClient {
  const session = connect(url, { ca: caCertificate });
  return {
    send: ({ method = "GET", path, headers = {}, body }) =>
      new Promise((resolve, reject) => {
        const stream = session.request({
          ":method": method,
          ":path": path,
          authorization: `Bearer ${token}`,
          ...headers,
        });
        const chunks: Buffer[] = [];
        let head: WireAnswer["headers"] & { ":status"?: number } = {};
        stream.on("response", (received) => (head = received as typeof head));
        stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", reject);
        stream.on("end", () => resolve({ status: head[":status"] ?? 0, headers: head, body: Buffer.concat(chunks) }));
        stream.end(body);
      }),
    close: () => session.close(),
  };
}
