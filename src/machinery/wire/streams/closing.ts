import type { Duplex } from "node:stream";

/**
 * How long a peer may take to read what was sent before the connection ended. A server waits as long as kube-apiserver does: it cannot
 * know that the peer has everything until the peer closes the connection, and to cut it off would lose the end of the output.
 */
export const CLOSING_MS = { server: 15 * 60_000, client: 1000 } as const;

/** Ends a connection: sends what is left, drops what still comes, and waits for the peer to close it, too. */
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
