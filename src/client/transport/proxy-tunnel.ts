import type { Socket } from "node:net";
import { NetworkFailure } from "./go-network-error.js";

/** Opens a tunnel through an HTTP proxy. Resolves with the same socket once it is connected to host:port. */
export async function connectThroughHttp(socket: Socket, host: string, port: number, proxy: URL): Promise<Socket> {
  const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
  const lines = [`CONNECT ${authority} HTTP/1.1`, `Host: ${authority}`, "User-Agent: Go-http-client/1.1"];
  const authorization = proxyAuthorization(proxy);
  if (authorization !== undefined) lines.push(`Proxy-Authorization: ${authorization}`);
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  const head = await readUntil(socket, (bytes) => {
    const end = bytes.indexOf("\r\n\r\n");
    return end === -1 ? undefined : end + 4;
  });
  const [, status = "", text = ""] = /^HTTP\/1\.[01] (\d{3}) ?([^\r\n]*)/.exec(head.toString("latin1")) ?? [];
  if (status === "200") return socket;
  socket.destroy();
  throw new NetworkFailure(text === "" ? `unknown status code` : text);
}

/** "Basic ..." when the proxy's URL contains a user. */
export function proxyAuthorization(proxy: URL): string | undefined {
  if (proxy.username === "" && proxy.password === "") return undefined;
  const pair = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

const SOCKS_REPLIES: Readonly<Record<number, string>> = {
  1: "general SOCKS server failure",
  2: "connection not allowed by ruleset",
  3: "network unreachable",
  4: "host unreachable",
  5: "connection refused",
  6: "TTL expired",
  7: "command not supported",
  8: "address type not supported",
};

/**
 * Connects through a SOCKS5 proxy (RFC 1928), which resolves the name. Authenticates by RFC 1929 when the URL contains a
 * user.
 */
export async function connectThroughSocks(socket: Socket, host: string, port: number, proxy: URL): Promise<Socket> {
  const hasUser = proxy.username !== "";
  socket.write(Buffer.from(hasUser ? [5, 2, 0, 2] : [5, 1, 0]));
  const method = (await readUntil(socket, exactly(2)))[1];
  if (method === 2 && hasUser) {
    const user = Buffer.from(decodeURIComponent(proxy.username));
    const password = Buffer.from(decodeURIComponent(proxy.password));
    socket.write(Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]));
    const answer = await readUntil(socket, exactly(2));
    if (answer[1] !== 0) throw broken(socket, host, port, "username/password authentication failed");
  } else if (method !== 0) {
    throw broken(socket, host, port, "no acceptable authentication methods");
  }
  const name = Buffer.from(host);
  const head = Buffer.from([5, 1, 0, 3, name.length]);
  socket.write(Buffer.concat([head, name, Buffer.from([port >> 8, port & 0xff])]));
  const reply = await readUntil(socket, (bytes) => {
    if (bytes.length < 5) return undefined;
    const addressLength = bytes[3] === 1 ? 4 : bytes[3] === 4 ? 16 : 1 + (bytes[4] ?? 0);
    const length = 4 + addressLength + 2;
    return bytes.length < length ? undefined : length;
  });
  const code = reply[1] ?? 1;
  if (code !== 0) throw broken(socket, host, port, `unknown error ${SOCKS_REPLIES[code] ?? `unknown code: ${code}`}`);
  return socket;
}

function broken(socket: Socket, host: string, port: number, why: string): NetworkFailure {
  const from = `${socket.remoteAddress ?? ""}:${socket.remotePort ?? 0}`;
  socket.destroy();
  return new NetworkFailure(`socks connect tcp ${from}->${host}:${port}: ${why}`);
}

const exactly = (length: number) => (bytes: Buffer) => (bytes.length < length ? undefined : length);

/** Reads until `complete` returns a length, and puts the bytes after it back. */
function readUntil(socket: Socket, complete: (bytes: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let bytes: Buffer = Buffer.alloc(0);
    const stop = () => {
      socket.off("data", onData);
      socket.off("error", onError);
      socket.off("close", onClose);
    };
    const onData = (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      const length = complete(bytes);
      if (length === undefined) return;
      stop();
      socket.pause();
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      resolve(bytes.subarray(0, length));
    };
    const onError = (error: Error) => {
      stop();
      reject(error);
    };
    const onClose = () => {
      stop();
      reject(new NetworkFailure("EOF"));
    };
    socket.on("data", onData);
    socket.on("error", onError);
    socket.on("close", onClose);
    socket.resume();
  });
}
