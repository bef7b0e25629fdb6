import type { Socket } from "node:net";
import type { TLSSocket } from "node:tls";

/** What Go's net/http answers, to the byte. */
const ANSWER = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

/**
 * To be called when a handshake failed: answers a client that sent an HTTP request instead, and ends its connection within
 * `patience` ms. OpenSSL recognizes GET, HEAD, POST and PUT; other bytes that begin no handshake get no answer.
 */
export function answerPlainHttp(error: NodeJS.ErrnoException, client: TLSSocket, patience: number): void {
  if (error.code !== "ERR_SSL_HTTP_REQUEST") return;
  // The name is Node's own, of the connection below the TLS that failed.
  const connection = (client as TLSSocket & { readonly _parent?: Socket })._parent;
  if (connection === undefined || connection.destroyed) return;
  // What else the client sends is read and dropped: a reset could overtake the answer.
  connection.resume();
  connection.setTimeout(patience, () => connection.destroy());
  connection.end(ANSWER);
}
