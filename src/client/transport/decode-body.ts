import type { Readable } from "node:stream";

/** Yields the body's bytes, decompressed if they are gzip. `wrap` makes the error of a body that breaks off. */
export async function* decodeBody(
  incoming: Readable,
  contentEncoding: string | undefined,
  wrap: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    if (contentEncoding !== "gzip") {
      yield* incoming as AsyncIterable<Uint8Array>;
      return;
    }
    const { constants, createGunzip } = await import("node:zlib");
    // A watch is flushed event by event, so the decompressor must not wait for a full block.
    const gunzip = createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
    incoming.on("error", (error) => gunzip.destroy(error));
    yield* incoming.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw wrap(error);
  } finally {
    // The reader stopped early. Dropping the connection avoids reading the rest.
    if (!incoming.readableEnded) incoming.destroy();
  }
}
