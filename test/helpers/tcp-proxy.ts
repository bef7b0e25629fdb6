import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** What becomes of connections: those that there are, and new ones. */
export type Cut =
  /** They end, and new ones are reset. */
  | "ended"
  /** Nothing passes any more, and nobody is told. New ones are accepted and never read. */
  | "silent"
  /** As "silent", but new ones get the first bytes of a TLS record. */
  | "half a TLS record"
  /** They are reset, and new ones as soon as they say something. */
  | "reset";

/** A way to a server that can be closed under those who use it. */
export interface TcpProxy {
  readonly port: number;
  /** "127.0.0.1:45678" */
  readonly address: string;
  /** How many connections go through it now. */
  readonly connections: number;
  /** Default: "ended". */
  cut(cut?: Cut): void;
  /** Passes on what new connections say. Those that were cut stay so. */
  mend(): void;
  close(): Promise<void>;
}

const BEGINNING_OF_RECORD = Buffer.from([0x16, 0x03, 0x03, 0x00, 0x7a, 0x02]);

/** What happens to a connection that comes while the way is cut. */
const REFUSALS: Readonly<Record<Cut, (near: Socket) => void>> = {
  ended: (near) => near.resetAndDestroy(),
  silent: (near) => near.pause(),
  "half a TLS record": (near) => near.once("data", () => near.write(BEGINNING_OF_RECORD)),
  reset: (near) => near.once("data", () => near.resetAndDestroy()),
};

/** Before `port` of 127.0.0.1; `own` is the port to listen on, 0 for a free one. */
export async function startTcpProxy(port: number, own = 0): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on("error", () => {}).on("close", () => sockets.delete(socket));
  };
  let state: Cut | undefined;
  const server = createServer((near) => {
    if (state !== undefined) {
      keep(near);
      REFUSALS[state](near);
      return;
    }
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      keep(one);
      one.pipe(other);
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(own, "127.0.0.1", resolve));
  const cut = (how: Cut = "ended"): void => {
    state = how;
    for (const socket of sockets) {
      if (how === "ended") socket.destroy();
      else if (how === "reset") socket.resetAndDestroy();
      else socket.unpipe().pause();
    }
  };
  const { port: taken } = server.address() as AddressInfo;
  return {
    port: taken,
    address: `127.0.0.1:${taken}`,
    get connections() {
      return sockets.size / 2;
    },
    cut,
    mend() {
      state = undefined;
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
