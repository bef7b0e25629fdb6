import type { Readable } from "node:stream";

/** The body's bytes, unpacked if they were gzip; what breaks it off is thrown as `wrap` makes it. */
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
    // A watch is flushed event by event: do not wait for a full block.
    const gunzip = createGunzip({ flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH });
    incoming.on("error", (error) => gunzip.destroy(error));
    yield* incoming.pipe(gunzip) as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw wrap(error);
  } finally {
    // The reader left early: drop the connection rather than read what nobody wants.
    if (!incoming.readableEnded) incoming.destroy();
  }
}
