import type { Http2SecureServer } from "node:http2";
import type { Socket } from "node:net";

/** How long an address is remembered, in milliseconds: client-go sends a GET again after a second. */
const REMEMBERED_MS = 10_000;

/** The protocols that a connection may have, as ALPN has them on the wire; of those that a client speaks, the first is taken. */
const HTTP1_FIRST = Buffer.from("\x08http/1.1\x02h2", "latin1");

/**
 * Lets the server prefer HTTP/1.1 on the next connection of an address, with which the returned function is called: to that of
 * a client whose last head was too long for Node's HTTP/2. client-go and others send such a request again on a new connection.
 */
export function offersHttp1(server: Http2SecureServer): (address: string) => void {
  // node:tls reads it for each connection. Its types leave it out.
  const offering = server as Http2SecureServer & { ALPNProtocols?: Buffer };
  const usual = offering.ALPNProtocols;
  const addresses = new Set<string>();
  // In front of node:tls's own listener.
  server.prependListener("connection", ({ remoteAddress = "" }: Socket) => {
    if (usual !== undefined) offering.ALPNProtocols = addresses.delete(remoteAddress) ? HTTP1_FIRST : usual;
  });
  return (address) => {
    addresses.add(address);
    setTimeout(() => addresses.delete(address), REMEMBERED_MS).unref();
  };
}
