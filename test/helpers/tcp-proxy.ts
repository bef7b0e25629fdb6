import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A way to a server that can be closed under those who use it. */
export interface TcpProxy {
  /** "127.0.0.1:45678" */
  readonly address: string;
  /** How many connections go through it now. */
  readonly connections: number;
  /** Breaks every connection and refuses new ones. */
  cut(): void;
  /** Takes connections again. */
  mend(): void;
  close(): Promise<void>;
}

/** Before `port` of 127.0.0.1. */
export async function startTcpProxy(port: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let open = true;
  const server = createServer((near) => {
    if (!open) {
      near.resetAndDestroy();
      return;
    }
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = (): void => {
    open = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    get connections() {
      return sockets.size / 2;
    },
    cut,
    mend() {
      open = true;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
