import { createServer, type IncomingMessage, type Server, ServerResponse } from "node:http";
import { chmodSync, rmSync, statSync } from "node:fs";
import type { AddressInfo, Socket } from "node:net";
import { resolve } from "node:path";
import type { Duplex } from "node:stream";
import { errnoText, errorCode } from "../../base/files/path-error.js";
import type { ProxyOptions } from "./proxy.js";
import type { routes } from "./routes.js";

/**
 * Serves until the signal aborts, and prints the address. The socket's file is removed afterwards. @throws Go's net error where it
 * cannot listen
 */
export async function serve(
  handle: ReturnType<typeof routes>,
  { listen, cwd, keepAlive, signal, write }: Pick<ProxyOptions, "listen" | "cwd" | "keepAlive" | "signal" | "write">,
): Promise<void> {
  const server = createServer({ keepAlive: true, keepAliveInitialDelay: keepAlive || 15_000, requestTimeout: 0 });
  server.keepAliveTimeout = 0;
  server.on("request", (request, response) => {
    // Go says nothing of a connection that stays. bun's response does not know that the client asks for the end of the connection.
    if (response.shouldKeepAlive && !asksForEnd(request)) response.removeHeader("connection");
    handle(request, response);
  });
  server.on("upgrade", (request, socket: Duplex, head) => {
    const response = new ServerResponse(request);
    response.shouldKeepAlive = false;
    response.assignSocket(socket as Socket);
    response.on("finish", () => socket.end());
    handle(request, response, { socket, head });
  });
  const opened =
    "socket" in listen ? await listenOnSocket(server, listen.socket, cwd) : await listenOnPort(server, listen);
  write(`Starting to serve on ${opened}\n`);
  await untilAborted(signal);
  const closed = new Promise((done) => server.close(done));
  server.closeAllConnections();
  await closed;
}

const asksForEnd = ({ headers }: IncomingMessage): boolean =>
  (headers.connection ?? "").split(",").some((option) => option.trim().toLowerCase() === "close");

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    if (signal.aborted) done();
    signal.addEventListener("abort", () => done(), { once: true });
  });
}

async function listenOnPort(
  server: Server,
  { address, port }: { readonly address: string; readonly port: number },
): Promise<string> {
  if (address.includes(":")) throw new Error(`listen tcp: address ${address}:${port}: too many colons in address`);
  if (port < 0 || port > 65535) throw new Error(`listen tcp: address ${port}: invalid port`);
  // No address and the one that means all of them are both families to Go.
  const host = address === "" || address === "0.0.0.0" ? "::" : address;
  try {
    await listening(server, () => server.listen({ host, port }));
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOTFOUND" || code === "EAI_AGAIN") {
      throw new Error(`listen tcp: lookup ${address}: no such host`, { cause: error });
    }
    throw new Error(`listen tcp ${address}:${port}: bind: ${errnoText(error)}`, { cause: error });
  }
  const { address: bound, port: taken } = server.address() as AddressInfo;
  return bound.includes(":") ? `[${bound}]:${taken}` : `${bound}:${taken}`;
}

/** Only its owner may use the socket. One that is left over is replaced; another file is not. */
async function listenOnSocket(server: Server, socket: string, cwd: string): Promise<string> {
  const path = resolve(cwd, socket);
  try {
    if (statSync(path).isSocket()) rmSync(path);
  } catch {
    // Nothing there to replace.
  }
  const mask = changeUmask(0o077);
  try {
    await listening(server, () => server.listen({ path }));
    chmodSync(path, 0o700);
  } catch (error) {
    throw new Error(`listen unix ${socket}: bind: ${reasonOf(error, path)}`, { cause: error });
  } finally {
    if (mask !== undefined) changeUmask(mask);
  }
  return socket;
}

/** The socket belongs to this user alone from its first moment on. Threads may not change what belongs to the process: undefined. */
function changeUmask(mask: number): number | undefined {
  try {
    return process.umask(mask);
  } catch {
    return undefined;
  }
}

/** Node takes EACCES for a folder that is not there. */
function reasonOf(error: unknown, path: string): string {
  try {
    statSync(resolve(path, ".."));
    return errnoText(error);
  } catch (missing) {
    return errnoText(missing);
  }
}

function listening(server: Server, start: () => void): Promise<void> {
  return new Promise((done, failed) => {
    server.once("error", failed);
    server.once("listening", () => {
      server.off("error", failed);
      done();
    });
    start();
  });
}
