import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { goNetworkReason } from "../../client/transport/go-network-error.js";
import { unclassified } from "../../machinery/errors/status-error.js";
import { type ProxyTarget, requestOf } from "./proxy-target.js";

/** What the target answers to a request for another protocol: a connection in it, or a refusal. */
export type UpgradeAnswer =
  | { readonly socket: Duplex; readonly headers: IncomingMessage["headers"] }
  | { readonly refusal: IncomingMessage };

/** Asks the target to switch protocols. Throws a 500 StatusError when it cannot be reached. */
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
