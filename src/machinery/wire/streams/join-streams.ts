import type { ByteStream } from "./byte-stream.js";

/**
 * Copies each stream to the other until both directions have ended; the end of a direction is passed on for itself. When one stream
 * breaks, the other is destroyed. Never rejects: resolves with what broke first, if anything did. `onEnd` is called when the end of
 * `from` has been passed on.
 */
export async function joinStreams(
  one: ByteStream,
  other: ByteStream,
  onEnd?: (from: ByteStream) => void,
): Promise<Error | undefined> {
  let fault: Error | undefined;
  const copy = async (from: ByteStream, to: ByteStream): Promise<void> => {
    try {
      for await (const chunk of from) await to.write(chunk);
      await to.end();
      onEnd?.(from);
    } catch (error) {
      fault ??= error instanceof Error ? error : new Error(String(error));
      one.destroy();
      other.destroy();
    }
  };
  await Promise.all([copy(one, other), copy(other, one)]);
  return fault;
}
