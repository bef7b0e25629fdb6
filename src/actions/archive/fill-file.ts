import type { FileHandle } from "node:fs/promises";
import { PathError } from "../../base/files/path-error.js";

/** Bytes that are written at a time. */
const WRITE_BUFFER = 256 * 1024;

/** Writes a file as its content arrives, and closes it. Where the content breaks off, what has arrived is kept. `size` is a guess. */
export async function fillFile(
  file: FileHandle,
  { path, size }: { readonly path: string; readonly size: number },
  content: AsyncIterable<Uint8Array>,
  progress: (written: number) => void,
): Promise<void> {
  // Chunks are copied into one buffer, which is written when it is full: chunks that waited for the disk would fill the memory.
  let buffer: Buffer | undefined;
  let used = 0;
  let written = 0;
  try {
    for await (const chunk of content) {
      buffer ??= Buffer.allocUnsafeSlow(Math.min(Math.max(size, 1), WRITE_BUFFER));
      for (let from = 0; from < chunk.length; ) {
        const part = chunk.subarray(from, from + buffer.length - used);
        buffer.set(part, used);
        used += part.length;
        from += part.length;
        if (used < buffer.length) continue;
        await writeAll(file, buffer, path);
        used = 0;
      }
      written += chunk.length;
      progress(written);
    }
  } finally {
    try {
      // What has arrived is kept when the rest does not.
      if (buffer !== undefined && used > 0) await writeAll(file, buffer.subarray(0, used), path);
    } finally {
      await file.close();
    }
  }
}

async function writeAll(file: FileHandle, chunk: Uint8Array, path: string): Promise<void> {
  try {
    for (let offset = 0; offset < chunk.length; ) offset += (await file.write(chunk, offset)).bytesWritten;
  } catch (error) {
    throw new PathError("write", path, error);
  }
}
