import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../base/time/clock.js";
import { goQuote } from "../../base/text/go-quote.js";
import { type Dialer, dial, handshake, openUnixSocket, type Place, textOf, withinProxyLimit } from "./dial.js";
import { goNetworkReason, NetworkFailure } from "./go-network-error.js";
import { readUntil } from "./proxy.js";

/** A proxy that connects to whatever place it is asked for by HTTP CONNECT. */
export interface HttpConnectProxy {
  /** Where it listens: a host and port, or the path of a Unix socket. */
  readonly place: Place | { readonly path: string };
  /** Left out: without TLS. */
  readonly tls?: ConnectionOptions;
  /** The validity of the proxy's certificate is checked at its time. */
  readonly clock: Clock;
}

/** Connects through the proxy. Failures have the words of kube-apiserver's egress selector. */
export function dialThrough(proxy: HttpConnectProxy): Dialer {
  return async (place, signal) => askFor(place, proxy, await connectTo(proxy, signal), signal);
}

/** Makes a connection to the proxy's {@link HttpConnectProxy.place} one to `place`. */
export async function tunnelThrough(proxy: HttpConnectProxy, connection: Socket, place: Place): Promise<Socket> {
  const { tls, clock } = proxy;
  const secured =
    tls === undefined ? connection : await handshake(connection, tls, { ...peer(proxy), clock, signal: undefined });
  return askFor(place, proxy, secured, undefined);
}

/** What errors call the proxy. */
const addressOf = ({ place }: HttpConnectProxy): string => ("path" in place ? place.path : textOf(place));

const peer = ({ place }: HttpConnectProxy) => ({
  host: "path" in place ? "" : place.host,
  insecureSkipVerify: false,
});

function connectTo(proxy: HttpConnectProxy, signal: AbortSignal | undefined): Promise<Socket> {
  const { place, tls, clock } = proxy;
  if ("path" in place) return openUnixSocket(place.path, signal);
  return dial({
    ...place,
    scheme: tls === undefined ? "http" : "https",
    tls,
    insecureSkipVerify: false,
    clock,
    signal,
  });
}

/** The longest head of an answer, in bytes; Go's limit. */
const LONGEST_HEAD = 1 << 20;

function askFor(
  place: Place,
  proxy: HttpConnectProxy,
  connection: Socket,
  signal: AbortSignal | undefined,
): Promise<Socket> {
  return withinProxyLimit(connection, ask(textOf(place), addressOf(proxy), connection), signal);
}

async function ask(target: string, proxy: string, connection: Socket): Promise<Socket> {
  connection.write(`CONNECT ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  const failed = (message: string): NetworkFailure => {
    connection.destroy();
    return new NetworkFailure(message);
  };
  const unreadable = (reason: string): NetworkFailure =>
    failed(`reading HTTP response from CONNECT to ${target} via proxy ${proxy} failed: ${reason}`);
  let head: Buffer;
  try {
    head = await readUntil(connection, (bytes) => {
      const end = bytes.indexOf("\r\n\r\n");
      if (end === -1 && bytes.length > LONGEST_HEAD) throw new NetworkFailure("unexpected EOF");
      return end === -1 ? undefined : end + 4;
    });
  } catch (error) {
    throw unreadable(goNetworkReason(error));
  }
  const [line = ""] = head.toString("latin1").split("\r\n");
  const [, status, text = ""] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(line) ?? [];
  if (status === undefined) throw unreadable(`malformed HTTP response ${goQuote(line)}`);
  if (status !== "200") {
    throw failed(`proxy error from ${proxy} while dialing ${target}, code ${status}: ${status} ${text}`);
  }
  const early = connection.readableLength;
  if (early > 0) throw failed(`unexpected ${early} bytes of buffered data from CONNECT proxy ${goQuote(proxy)}`);
  return connection;
}
