import { spawn } from "node:child_process";
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { deferred } from "../../src/base/async/deferred.js";
import { turn } from "../../src/base/async/turns.js";
import { authority } from "../client/transport/certificates.js";
import type { Peer } from "./side-by-side.js";

/** A peer that tells when somebody has begun to talk to it. */
export interface LinePeer extends Peer {
  readonly spokenTo?: Promise<void>;
}

/** Something on the way to the server that does not do its part. Each row of a table gets its own. */
export type Line = () => Promise<LinePeer>;

/** What leads to a server: where it is, and the kubeconfig by which it is known. */
export interface Origin {
  readonly port: number;
  /** Of the server at this port of the loopback address. */
  kubeconfig(port: number): string;
  /** Resolves when the server has begun to answer a watch, or a log that goes on, of somebody who knows it by this port. */
  streamAnswered(port: number): Promise<void>;
}

const listening = async (server: Server): Promise<number> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};

/** A peer at a port that keeps no record of requests. */
function peerAt(port: number, kubeconfig: string, close: () => void): Peer {
  return {
    kubeconfig,
    address: `127.0.0.1:${port}`,
    requests: [],
    close: async () => close(),
  };
}

/** Takes connections, and does what `take` does with them. */
async function acceptor(take: (socket: Socket) => void): Promise<{ readonly port: number; close(): void }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on("error", () => {}));
    take(socket);
  });
  const port = await listening(server);
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { port, close };
}

const kubeconfigOf = (cluster: object): string =>
  JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "far", cluster }],
    users: [{ name: "somebody", user: { token: "abc" } }],
    contexts: [{ name: "far", context: { cluster: "far", user: "somebody" } }],
    "current-context": "far",
  });

const insecure = (port: number, more: object = {}): string =>
  kubeconfigOf({ server: `https://127.0.0.1:${port}`, "insecure-skip-tls-verify": true, ...more });

/** A load balancer whose servers are gone: it accepts and says nothing. */
export const tarpit: Line = async () => {
  const spokenTo = deferred<void>();
  const { port, close } = await acceptor((socket) => void socket.once("data", () => spokenTo.resolve()));
  return { ...peerAt(port, insecure(port), close), spokenTo: spokenTo.promise };
};

/** The first bytes of a TLS record, and no more. */
export const halfRecord: Line = async () => {
  const { port, close } = await acceptor((socket) => {
    socket.once("data", () => socket.write(Buffer.from([0x16, 0x03, 0x03, 0x00, 0x7a, 0x02])));
  });
  return peerAt(port, insecure(port), close);
};

/** Resets each connection as soon as it says something. */
export const resets: Line = async () => {
  const { port, close } = await acceptor((socket) => void socket.once("data", () => socket.resetAndDestroy()));
  return peerAt(port, insecure(port), close);
};

/** A firewall that answers no SYN: a listener whose backlog is full, of a process that never accepts. */
export const noSyn: Line = async () => {
  const script = `
    const server = require("node:net").createServer();
    server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
      require("node:fs").writeSync(1, server.address().port + "\\n");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`;
  const child = spawn(process.execPath, ["-e", script], { stdio: ["ignore", "pipe", "inherit"] });
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const port = Number(line);
  const filling = Array.from({ length: 4 }, () => connect(port, "127.0.0.1").on("error", () => {}));
  await Promise.all(filling.slice(0, 2).map((socket) => once(socket, "connect")));
  return peerAt(port, insecure(port), () => {
    for (const socket of filling) socket.destroy();
    child.kill("SIGKILL");
  });
};

/** A proxy that takes the connection and never answers. */
export const stalledProxy =
  (scheme: "http" | "https" | "socks5"): Line =>
  async () => {
    const { port, close } = await acceptor((socket) => void socket.resume());
    const kubeconfig = kubeconfigOf({
      server: "https://api.example:6443",
      "insecure-skip-tls-verify": true,
      "proxy-url": `${scheme}://127.0.0.1:${port}`,
    });
    return peerAt(port, kubeconfig, close);
  };

/** Shorter than the time after which a client whose line is quiet asks whether it is alive: its answer would make noise. */
const QUIET = 1000;

interface StallingRelay {
  readonly port: number;
  /**
   * From the first moment on in which nothing has come for so many milliseconds, nothing gets through, on old connections and on new ones,
   * and nobody is told.
   */
  stallOnceQuiet(quiet: number): void;
  close(): void;
}

/** Passes on what comes until it is told to stall. */
async function stallingRelay(port: number): Promise<StallingRelay> {
  let timer: NodeJS.Timeout | undefined;
  let isStalled = false;
  let heard = 0;
  const ends: Socket[] = [];
  const stall = async (): Promise<void> => {
    const before = heard;
    // A busy process hears of its timers before it hears of what came meanwhile.
    for (let turns = 0; turns < 3; turns++) await turn();
    if (heard !== before) return;
    isStalled = true;
    for (const end of ends) end.unpipe().pause();
  };
  const relay = await acceptor((near) => {
    if (isStalled) return void near.pause();
    const far = connect(port, "127.0.0.1").on("error", () => {});
    ends.push(near, far);
    for (const end of [near, far]) {
      end.on("data", () => {
        heard += 1;
        if (!isStalled) timer?.refresh();
      });
    }
    near.pipe(far).pipe(near);
  });
  return {
    port: relay.port,
    stallOnceQuiet: (quiet) => {
      timer ??= setTimeout(() => void stall(), quiet);
    },
    close: () => {
      clearTimeout(timer);
      for (const end of ends) end.destroy();
      relay.close();
    },
  };
}

/** A line that dies once the streams of a command are there. */
export const silentStream =
  (origin: Origin): Line =>
  async () => {
    const relay = await stallingRelay(origin.port);
    void origin.streamAnswered(relay.port).then(() => relay.stallOnceQuiet(QUIET));
    return peerAt(relay.port, origin.kubeconfig(relay.port), relay.close);
  };

/** A line that dies before the first answer, once the request is at the server. */
export const silentAnswer: Line = async () => {
  const ca = await authority("slow");
  const { cert, key } = await ca.issue([{ type: "ip", value: "127.0.0.1" }]);
  const server = createSecureServer({ cert, key, allowHTTP1: true }, () => {});
  const sockets = new Set<{ destroy(): void }>();
  server.on("connection", (socket: Socket) => sockets.add(socket)).on("sessionError", () => {});
  const port = await listening(server as unknown as Server);
  const relay = await stallingRelay(port);
  server.on("session", (session) => session.on("error", () => {}));
  server.on("request", ({ stream }) => {
    const stall = (): void => relay.stallOnceQuiet(QUIET);
    // Whoever asks by HTTP/2 shall have the server's settings, so that the connection is whole.
    if (stream?.session?.pendingSettingsAck) stream.session.once("localSettings", stall);
    else stall();
  });
  return peerAt(relay.port, insecure(relay.port), () => {
    relay.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
};

/** Resets each second connection as soon as it says something. */
export const resetting =
  (origin: Origin): Line =>
  async () => {
    let count = 0;
    const ends: Socket[] = [];
    const { port, close } = await acceptor((near) => {
      count += 1;
      if (count % 2 === 0) return void near.once("data", () => near.resetAndDestroy());
      const far = connect(origin.port, "127.0.0.1").on("error", () => {});
      ends.push(far);
      near.pipe(far).pipe(near);
    });
    return peerAt(port, origin.kubeconfig(port), () => {
      for (const end of ends) end.destroy();
      close();
    });
  };
