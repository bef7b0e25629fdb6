import type { Duplex } from "node:stream";

/**
 * The time for which an ended connection waits until its peer has read everything. A server waits as long as kube-apiserver does:
 * only the peer's close tells that it has all, and an earlier end would lose the last output.
 */
export const CLOSING_MS = { server: 15 * 60_000, client: 1000 } as const;

/** Ends a connection: it sends the rest, discards further input, and waits for the peer to close the connection, too. */
export function endConnection(duplex: Duplex, role: keyof typeof CLOSING_MS): void {
  if (duplex.destroyed) return;
  const impatience = setTimeout(() => duplex.destroy(), CLOSING_MS[role]);
  impatience.unref();
  duplex.once("close", () => clearTimeout(impatience));
  duplex.once("end", () => duplex.destroy());
  duplex.end(() => {
    // The peer may have ended before.
    if (duplex.readableEnded) duplex.destroy();
  });
  duplex.resume();
}
