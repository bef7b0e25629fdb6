import { createServer as createPlain, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createSecure } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

/** A proxy that connects by HTTP CONNECT to places of names that no other program of this machine knows. */
export interface ConnectProxy extends AsyncDisposable {
  readonly port: number;
  /** What it was asked for: "etcd.invalid:2379". */
  readonly asked: readonly string[];
  /** The common names of the certificates that it was shown. */
  readonly shown: ReadonlySet<string>;
  /** Leads a place to a port of 127.0.0.1 from now on. Any other is refused. */
  lead(place: string, port: number): void;
  /** Answers the next connections with these bytes in place of a tunnel; undefined: with a tunnel again. */
  answer(text: string | undefined): void;
}

export interface ConnectProxyOptions {
  /** The path of a Unix socket; left out: a port of 127.0.0.1. */
  readonly socketPath?: string;
  /** PEM; clients must show a certificate of the authority. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

export async function startConnectProxy({ socketPath, tls }: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const asked: string[] = [];
  const shown = new Set<string>();
  const places = new Map<string, number>();
  const sockets = new Set<Duplex>();
  let instead: string | undefined;
  const keep = (socket: Duplex): void => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  const noOther: RequestListener = (_, response) => response.writeHead(405).end();
  const server =
    tls === undefined
      ? createPlain(noOther)
      : createSecure({ ...tls, requestCert: true, rejectUnauthorized: true }, noOther);
  server.on("connect", ({ url = "", socket }: IncomingMessage, near: Duplex) => {
    keep(near);
    asked.push(url);
    if (tls !== undefined) shown.add((socket as TLSSocket).getPeerCertificate().subject.CN as string);
    const port = places.get(url);
    if (instead !== undefined || port === undefined) {
      near.end(instead ?? "HTTP/1.1 403 Forbidden\r\n\r\n");
      return;
    }
    const far: Socket = connect(port, "127.0.0.1", () => {
      near.write("HTTP/1.1 200 Connection established\r\n\r\n");
      near.pipe(far).pipe(near);
    });
    keep(far);
    far.on("close", () => near.destroy());
    near.on("close", () => far.destroy());
  });
  await new Promise<void>((resolve) =>
    socketPath === undefined ? server.listen(0, "127.0.0.1", resolve) : server.listen(socketPath, resolve),
  );
  const address = server.address() as AddressInfo | string;
  return {
    port: typeof address === "string" ? 0 : address.port,
    asked,
    shown,
    lead: (place, port) => void places.set(place, port),
    answer: (text) => void (instead = text),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
