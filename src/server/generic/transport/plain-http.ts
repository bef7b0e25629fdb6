import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** The answer of Go's net/http, byte for byte. */
const ANSWER = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

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
  connection.end(ANSWER);
}
