import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import type { TLSSocket } from "node:tls";
import type { Exchange, ResponseWriter } from "../../request/exchange.js";
import { readBody, splitTarget } from "./body.js";
import { clientCertificateOf } from "./client-certificate.js";
import { exchangeLifetime } from "./lifetime.js";
import { NodeWriter } from "./node-writer.js";

/** An HTTP/2 stream as an exchange. `stopping` aborts every exchange when the server shuts down. */
export function http2Exchange(
  stream: ServerHttp2Stream,
  wireHeaders: IncomingHttpHeaders,
  stopping: AbortSignal,
): Exchange {
  const lifetime = exchangeLifetime(stopping);
  stream.once("close", lifetime.leave);
  stream.on("error", lifetime.leave);
  const headers: Record<string, string | undefined> = {};
  for (const [name, value] of Object.entries(wireHeaders)) {
    if (!name.startsWith(":")) headers[name] = Array.isArray(value) ? value.join(", ") : value;
  }
  const session = stream.session;
  // With TLS the socket behind the session is always a TLSSocket.
  const socket = session?.socket as TLSSocket | undefined;
  return {
    method: String(wireHeaders[":method"]),
    ...splitTarget(String(wireHeaders[":path"])),
    headers,
    clientCertificate: session && socket ? clientCertificateOf(session, socket) : undefined,
    remoteAddress: socket?.remoteAddress ?? "",
    signal: lifetime.ending,
    body: (limit) => readBody(stream, limit),
    respond(status, head): ResponseWriter {
      stream.respond({ ":status": status, ...(head as Record<string, string | string[]>) });
      return new NodeWriter(stream, lifetime.gone);
    },
    get responded() {
      return stream.headersSent;
    },
  };
}
