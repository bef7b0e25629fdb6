import type { IncomingMessage, ServerResponse } from "node:http";
import { TLSSocket } from "node:tls";
import type { Exchange, ResponseWriter } from "../../request/exchange.js";
import { readBody, splitTarget } from "./body.js";
import { clientCertificateOf } from "./client-certificate.js";
import { exchangeLifetime } from "./lifetime.js";
import { NodeWriter } from "./node-writer.js";

/** An HTTP/1.1 request as an exchange. `stopping` aborts every exchange when the server shuts down. */
export function http1Exchange(request: IncomingMessage, response: ServerResponse, stopping: AbortSignal): Exchange {
  const lifetime = exchangeLifetime(stopping);
  response.once("close", lifetime.leave);
  const socket = request.socket;
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(request.headers)) {
    headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  let responded = false;
  return {
    method: request.method ?? "GET",
    ...splitTarget(request.url ?? "/"),
    headers,
    clientCertificate: socket instanceof TLSSocket ? clientCertificateOf(socket, socket) : undefined,
    remoteAddress: socket.remoteAddress ?? "",
    signal: lifetime.ending,
    body: (limit) => readBody(request, limit),
    respond(status, head): ResponseWriter {
      responded = true;
      response.writeHead(
        status,
        Object.fromEntries(Object.entries(head).map(([name, value]) => [name, mutable(value)])),
      );
      response.flushHeaders();
      return new NodeWriter(response, lifetime.gone);
    },
    get responded() {
      return responded;
    },
  };
}

const mutable = (value: string | readonly string[]): string | string[] =>
  typeof value === "string" ? value : [...value];
