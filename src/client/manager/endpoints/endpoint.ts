import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { PemPair } from "../../../machinery/crypto/key-pair.js";

export interface EndpointOptions {
  /** 0: any free one. */
  readonly port: number;
  /** The address to listen on. Default: all, as pods must. */
  readonly host?: string;
  /** Called with the port when it is open. */
  readonly onListening?: (port: number) => void;
}

export interface EndpointAnswer {
  readonly code: number;
  /** Default text/plain. */
  readonly contentType?: string;
  readonly body: string;
}

/** Answers GET requests of a port of the manager. */
export type AnswerPath = (path: string, request: IncomingMessage) => EndpointAnswer | Promise<EndpointAnswer>;

/** An open port. */
export interface Endpoint {
  close(): Promise<void>;
}

/** The longest time that a client may take for a request, in milliseconds. */
const SLOWEST = 10_000;

/** Opens a port, with TLS where there is a certificate. Rejects with Node's error where it cannot be opened. */
export async function openEndpoint(options: EndpointOptions, answer: AnswerPath, pair?: PemPair): Promise<Endpoint> {
  const limits = { requestTimeout: SLOWEST, headersTimeout: SLOWEST };
  const listener = (request: IncomingMessage, response: ServerResponse): void =>
    void respond(answer, request, response);
  const server: Server =
    pair === undefined
      ? createPlainServer(limits, listener)
      : createTlsServer({ ...limits, cert: pair.certificate, key: pair.key, minVersion: "TLSv1.2" }, listener);
  const { port, host } = options;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, ...(host !== undefined && { host }) }, () => {
      server.off("error", reject);
      resolve();
    });
  });
  options.onListening?.((server.address() as AddressInfo).port);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function respond(answer: AnswerPath, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = (request.url ?? "").split("?", 1)[0] ?? "";
  const {
    code,
    contentType = "text/plain; charset=utf-8",
    body,
  } = request.method === "GET" || request.method === "HEAD"
    ? await Promise.resolve()
        .then(() => answer(path, request))
        .catch(() => ({ code: 500, contentType: undefined, body: "internal error\n" }))
    : { code: 405, body: "this port answers GET\n" };
  if (response.destroyed) return;
  response.writeHead(code, { "content-type": contentType, "x-content-type-options": "nosniff" });
  response.end(request.method === "HEAD" ? undefined : body);
}
