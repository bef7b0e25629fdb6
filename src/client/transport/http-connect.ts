import type { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import type { Clock } from "../../base/time/clock.js";
import { goQuote } from "../../base/text/go-quote.js";
import { type Dialer, dial, handshake, openUnixSocket, type Place, textOf, withinProxyLimit } from "./dial.js";
import { goNetworkReason, NetworkFailure } from "./go-network-error.js";
import { readUntil } from "./proxy.js";

export interface HttpConnectOptions {
  /** Left out: without TLS. */
  readonly tls?: ConnectionOptions;
  /** The validity of the proxy's certificate is checked at its time. */
  readonly clock: Clock;
}

/** A proxy that connects to any place by HTTP CONNECT. Failures have the words of kube-apiserver's egress selector. */
export class HttpConnectProxy {
  /** `place` is where the proxy listens: a host and port, or the path of a Unix socket. */
  constructor(
    readonly place: Place | { readonly path: string },
    private readonly options: HttpConnectOptions,
  ) {}

  /** What errors call the proxy: "127.0.0.1:8131", "/run/konnectivity.sock". */
  get address(): string {
    return "path" in this.place ? this.place.path : textOf(this.place);
  }

  /** Connects to a place through the proxy. */
  readonly dial: Dialer = async (place, signal) => this.#askFor(place, await this.#connect(signal), signal);

  /** Makes of a connection to {@link place} one to another place. */
  async tunnel(connection: Socket, to: Place): Promise<Socket> {
    const { tls, clock } = this.options;
    const host = "path" in this.place ? "" : this.place.host;
    const peer = { host, insecureSkipVerify: false, clock, signal: undefined };
    return this.#askFor(to, tls === undefined ? connection : await handshake(connection, tls, peer), undefined);
  }

  #connect(signal: AbortSignal | undefined): Promise<Socket> {
    const { place } = this;
    if ("path" in place) return openUnixSocket(place.path, signal);
    const { tls, clock } = this.options;
    const scheme = tls === undefined ? "http" : "https";
    return dial({ ...place, scheme, tls, insecureSkipVerify: false, clock, signal });
  }

  #askFor(place: Place, connection: Socket, signal: AbortSignal | undefined): Promise<Socket> {
    return withinProxyLimit(connection, ask(textOf(place), this.address, connection), signal);
  }
}

/** The longest head of an answer, in bytes; Go's limit. */
const LONGEST_HEAD = 1 << 20;

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
