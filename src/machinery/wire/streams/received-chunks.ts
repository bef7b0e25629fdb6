import type { Duplex } from "node:stream";

/** The connection is not read while more than this waits for the iteration. */
const MOST_WAITING_BYTES = 64 * 1024;

/**
 * Yields the chunks that a connection receives, and throws its error after the last of them. Node's own iteration drops chunks
 * before an error, and a peer's last bytes are often followed by a reset.
 */
export async function* receivedChunks(duplex: Duplex): AsyncGenerator<Buffer, void, void> {
  let chunks: Buffer[] = [];
  let waiting = 0;
  let over = duplex.closed || duplex.readableEnded;
  let fault: Error | undefined;
  let wake = (): void => {};
  const finish = (): void => {
    over = true;
    wake();
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    waiting += chunk.length;
    if (waiting > MOST_WAITING_BYTES) duplex.pause();
    wake();
  };
  const onError = (error: Error): void => void (fault = error);
  duplex.on("data", onData).once("error", onError).once("end", finish).once("close", finish);
  try {
    for (;;) {
      const received = chunks;
      chunks = [];
      for (const chunk of received) {
        waiting -= chunk.length;
        yield chunk;
      }
      if (chunks.length > 0) continue;
      if (over) {
        if (fault !== undefined) throw fault;
        return;
      }
      if (duplex.isPaused()) duplex.resume();
      await new Promise<void>((resolve) => (wake = resolve));
    }
  } finally {
    // What comes after the iteration is not kept.
    duplex.off("data", onData).off("error", onError).off("end", finish).off("close", finish);
  }
}
