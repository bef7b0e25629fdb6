import type { ServerHttp2Stream } from "node:http2";
import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { IncomingMessage, ServerResponse } from "node:http";

/** The longest head of a request, in bytes: Go's default. */
export const HEAD_BYTES = 1024 * 1024;

/** What HTTP/2 counts for a field beside its name and its value. */
const FIELD_OVERHEAD = 32;
/** Go allows for the overhead of ten fields. */
const COUNTED_BYTES = HEAD_BYTES + 10 * FIELD_OVERHEAD;

/**
 * The settings of a port for heads. Node resets the stream of a head that is longer than the setting says, without an answer, so it says more
 * than is taken. Frames of a whole head keep Go's clients below nghttp2's limit of nine frames a head.
 */
export const HEAD_SETTINGS = { maxHeaderListSize: 4 * HEAD_BYTES, maxFrameSize: HEAD_BYTES };

/** Answers an HTTP/2 request whose headers are too long with 431, and returns whether it did. `rawHeaders` alternates names and values. */
export function refuseLongHead(stream: ServerHttp2Stream, rawHeaders: readonly string[]): boolean {
  let counted = (rawHeaders.length / 2) * FIELD_OVERHEAD;
  for (const text of rawHeaders) counted += text.length;
  if (counted <= COUNTED_BYTES) return false;
  stream.resume();
  // Byte for byte the answer of Go's net/http.
  stream.respond({ ":status": 431, "content-type": "text/html; charset=utf-8" });
  stream.end("<h1>HTTP Error 431</h1><p>Request Header Field(s) Too Large</p>");
  return true;
}

/** The answer of Go's net/http, byte for byte. */
const PLAIN_HTTP_ANSWER = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/**
 * Handles a failed TLS handshake: answers a client that sent a plain HTTP request and closes the connection within
 * `patience` ms. OpenSSL recognizes GET, HEAD, POST and PUT. Other bytes get no answer.
 */
export function answerPlainHttp(error: NodeJS.ErrnoException, client: TLSSocket, patience: number): void {
  if (error.code !== "ERR_SSL_HTTP_REQUEST") return;
  // Node's internal name of the connection below the TLS socket.
  const connection = (client as TLSSocket & { readonly _parent?: Socket })._parent;
  if (connection === undefined || connection.destroyed) return;
  // Reads and drops the rest of the request: with unread bytes a close resets the connection, which could discard the answer.
  connection.resume();
  connection.setTimeout(patience, () => connection.destroy());
  connection.end(PLAIN_HTTP_ANSWER);
}

const MISSING_HOST = "missing required Host header";

/**
 * Rejects an HTTP/1.1 request without a Host header: answers 400 in the words of Go's net/http and closes the connection.
 * Returns true when it did. An empty Host is valid, and HTTP/1.0 needs none.
 */
export function refuseWithoutHost(request: IncomingMessage, response: ServerResponse): boolean {
  if (request.httpVersion !== "1.1" || request.headers.host !== undefined) return false;
  const text = `400 Bad Request: ${MISSING_HOST}`;
  response.writeHead(400, `Bad Request: ${MISSING_HOST}`, {
    "content-type": "text/plain; charset=utf-8",
    "content-length": text.length,
    connection: "close",
  });
  response.end(text);
  return true;
}
