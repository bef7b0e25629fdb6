import { createServer } from "node:http";
import { unlink } from "node:fs/promises";
import type { AddressInfo, ListenOptions, Socket } from "node:net";
import type { NodeHandler } from "./node-handler.js";
import { HEAD_BYTES } from "./transport/early-refusals.js";

/** An address for HTTP without TLS: one of this machine, or a Unix socket. */
export type PlainAddress = { readonly host: string; readonly port: number } | { readonly socketPath: string };

export interface PlainListener {
  /** 0 for a Unix socket. */
  readonly port: number;
  /** Accepts no more connections, and closes the open ones once their requests are answered. Removes the Unix socket. */
  close(): Promise<void>;
}

/** As the port with TLS has them, in milliseconds. */
const HEAD_MS = 32_000;
const REQUEST_MS = 300_000;
const KEEP_ALIVE_MS = 90_000;
/** How long clients may take to close their connections after the server asked them to. */
const CLOSING_MS = 2000;

/** Serves HTTP/1.1 without TLS. Rejects when the address cannot be opened. */
export async function listenPlain(address: PlainAddress, handler: NodeHandler): Promise<PlainListener> {
  const server = createServer(
    { keepAliveTimeout: KEEP_ALIVE_MS, headersTimeout: HEAD_MS, requestTimeout: REQUEST_MS, maxHeaderSize: HEAD_BYTES },
    handler.request,
  );
  server.maxHeadersCount = 0;
  server.on("upgrade", handler.upgrade);
  const sockets = new Set<Socket>();
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once("close", () => sockets.delete(socket));
  });
  const where: ListenOptions = "socketPath" in address ? { path: address.socketPath } : address;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(where, () => {
      server.removeListener("error", reject);
      resolve();
    });
  });
  return {
    port: "socketPath" in address ? 0 : (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const impatience = setTimeout(() => {
        for (const socket of sockets) socket.destroy();
      }, CLOSING_MS);
      await closed;
      clearTimeout(impatience);
      if ("socketPath" in address) await unlink(address.socketPath).catch(() => {});
    },
  };
}
