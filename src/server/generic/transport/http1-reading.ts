import type { Socket } from "node:net";

/** Requests of one connection that may be under way while it is read on. */
const MAX_UNDER_WAY = 8;

const underWay = new WeakMap<Socket, number>();

/**
 * To be called when a request has come, with what tells when its answer is done. Where an earlier answer has not quite left
 * yet, Node stops to read until it has; with TLS, however, bytes that are decrypted already come all the same, and Node's
 * parser, which takes none then, ends the connection (HPE_PAUSED). A client that sends a longer body right after it has read a
 * long answer would be cut off. So the connection is read on, unless its client asks for ever more and reads nothing.
 */
export function readOn(socket: Socket, answer: { once(event: "close", listener: () => void): unknown }): void {
  const count = (underWay.get(socket) ?? 0) + 1;
  underWay.set(socket, count);
  answer.once("close", () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  // The name is Node's own, of what its HTTP server notes on the socket and looks at when the request is parsed.
  const noted = socket as Socket & { _paused?: boolean };
  if (noted._paused !== true || count > MAX_UNDER_WAY) return;
  noted._paused = false;
  socket.resume();
}
