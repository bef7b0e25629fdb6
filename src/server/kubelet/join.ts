import type { Duplex } from "node:stream";

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
