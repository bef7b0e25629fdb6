import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { errorMessage } from "../../base/text/error-message.js";
import { badRequest, unclassified } from "../../machinery/errors/status-error.js";
import { webSocketAnswer } from "../../machinery/wire/web-socket/handshake.js";
import { WebSocket } from "../../machinery/wire/web-socket/web-socket.js";
import type { ApiRequest } from "../request/api-request.js";
import { goNetworkReason } from "../../client/transport/go-network-error.js";
import { type ProxyTarget, requestOf } from "./proxy-target.js";

/** Accepts a client's handshake with one of its subprotocols. Throws 400 for an invalid handshake, before it has answered. */
export function acceptWebSocket({ exchange }: ApiRequest, subprotocol: string): WebSocket {
  const { upgrade, method, headers } = exchange;
  if (upgrade === undefined) throw badRequest("Upgrade request required");
  return new WebSocket(upgrade.accept(answer()), { role: "server" });

  function answer(): Readonly<Record<string, string>> {
    try {
      return webSocketAnswer(method, headers, subprotocol);
    } catch (error) {
      throw badRequest(errorMessage(error));
    }
  }
}

/** The target's answer to an upgrade request: a connection in the new protocol, or a refusal. */
export type UpgradeAnswer =
  | { readonly socket: Duplex; readonly headers: IncomingMessage["headers"] }
  | { readonly refusal: IncomingMessage };

/** Sends an upgrade request to the target. Throws a 500 StatusError when it cannot be reached. */
export function askUpgrade(
  target: ProxyTarget,
  options: { readonly method: string; readonly headers: Record<string, string>; readonly signal: AbortSignal },
): Promise<UpgradeAnswer> {
  return new Promise((resolve, reject) => {
    const outgoing = requestOf(target, options);
    outgoing.on("error", (error) => reject(unclassified(`error dialing backend: ${goNetworkReason(error)}`)));
    outgoing.on("response", (refusal) => resolve({ refusal }));
    outgoing.on("upgrade", ({ headers }, socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ socket, headers });
    });
    outgoing.end();
  });
}

/** How long an end that was sent everything may take to close its connection. */
const CLOSING_MS = 10_000;

/**
 * Makes two connections one: what comes on one goes out on the other, until either is over. What was received before that is still
 * delivered. Both end when the signal aborts. Resolves when both are closed; never rejects.
 */
export async function join(one: Duplex, other: Duplex, signal: AbortSignal): Promise<void> {
  const stop = (): void => {
    one.destroy();
    other.destroy();
  };
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  const closed = [one, other].map((stream) => new Promise<void>((resolve) => stream.once("close", resolve)));
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.once("close", () => finish(to));
    from.once("end", () => finish(to));
    from.pipe(to);
  }
  await Promise.all(closed);
  signal.removeEventListener("abort", stop);
}

/** Sends what is left and ends the connection; one that does not close is cut off. */
function finish(stream: Duplex): void {
  if (stream.destroyed) return;
  const timer = setTimeout(() => stream.destroy(), CLOSING_MS);
  timer.unref();
  stream.once("close", () => clearTimeout(timer));
  stream.end(() => {
    // The other end may have sent its last long ago.
    if (stream.readableEnded) stream.destroy();
    else stream.resume();
  });
}
