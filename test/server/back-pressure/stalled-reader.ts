import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { connect as connectTcp, createServer, type AddressInfo, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import type { Reach } from "./server-process.js";

/** Asks for each path on connections that it never reads from; resolves when the server has had time to send what it can. */
export type StalledReader = (server: Reach, paths: readonly string[]) => Promise<{ leave(): void }>;

/** One connection for each request: HTTP/1.1 has one at a time. */
export const overHttp1: StalledReader = async ({ url, token, caCertificate }, paths) => {
  const { hostname: host, port } = new URL(url);
  const sockets = await Promise.all(
    paths.map(async (path) => {
      const socket = connectTls({ host, port: Number(port), ca: caCertificate });
      await once(socket, "secureConnect");
      socket.on("error", () => {});
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${token}\r\n\r\n`);
      return socket;
    }),
  );
  return { leave: () => sockets.forEach((socket) => socket.destroy()) };
};

/** All on one connection, whose windows stay as small as they are at first. */
export const overHttp2: StalledReader = async (server, paths) => streams(server.url, server, paths);

const ENDLESS = 2 ** 31 - 1;

/** All on one connection, whose windows never fill; what stands still is the network below it. */
export const overHttp2WithEndlessWindows: StalledReader = async (server, paths) => {
  const { hostname: host, port } = new URL(server.url);
  const ends = new Set<Socket>();
  const proxy = createServer((near) => {
    const far = connectTcp({ host, port: Number(port) });
    for (const end of [near, far]) ends.add(end.on("error", () => {}));
    near.pipe(far);
    far.pipe(near);
  });
  proxy.listen(0, host);
  await once(proxy, "listening");
  const through = `https://${host}:${(proxy.address() as AddressInfo).port}`;
  const reader = await streams(through, server, paths, () => {
    for (const end of ends) end.unpipe().pause();
  });
  return {
    leave() {
      reader.leave();
      for (const end of ends) end.destroy();
      proxy.close();
    },
  };
};

async function streams(url: string, { token, caCertificate }: Reach, paths: readonly string[], asked?: () => void) {
  const session = connectHttp2(url, {
    ca: caCertificate,
    settings: asked === undefined ? {} : { initialWindowSize: ENDLESS },
  });
  session.on("error", () => {});
  await once(session, "connect");
  if (asked !== undefined) session.setLocalWindowSize(ENDLESS);
  const opened = paths.map((path) => {
    const stream = session.request({ ":path": path, authorization: `Bearer ${token}` });
    stream.on("error", () => {});
    stream.end();
    return stream;
  });
  // The answers have begun, so all were asked.
  await Promise.all(opened.map((stream) => once(stream, "response")));
  asked?.();
  return { leave: () => session.destroy() };
}
