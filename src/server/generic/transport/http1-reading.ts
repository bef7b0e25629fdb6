import type { Socket } from "node:net";

/** How many pipelined requests a connection may have under way before the server stops reading from it. */
const MAX_UNDER_WAY = 8;

const underWay = new WeakMap<Socket, number>();

/**
 * Keeps Node reading from a connection whose earlier answer has not left yet. Call it for each request, with its answer.
 * Node pauses such a socket. Under TLS, bytes that are already decrypted still arrive, and Node's paused parser then ends
 * the connection (HPE_PAUSED): a client that sends a longer body right after reading a long answer is cut off. A client that
 * pipelines more than {@link MAX_UNDER_WAY} requests is paused as Node does it.
 */
export function readOn(socket: Socket, answer: { once(event: "close", listener: () => void): unknown }): void {
  const count = (underWay.get(socket) ?? 0) + 1;
  underWay.set(socket, count);
  answer.once("close", () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  // A private property of Node's HTTP server, which it checks when it has parsed a request.
  const noted = socket as Socket & { _paused?: boolean };
  if (noted._paused !== true || count > MAX_UNDER_WAY) return;
  noted._paused = false;
  socket.resume();
}
