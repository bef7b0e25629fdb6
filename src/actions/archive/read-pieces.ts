import type { FileHandle } from "node:fs/promises";
import { inSystem } from "./local-files.js";

/** Bytes that are read at a time. */
export const PIECE = 64 * 1024;

/** The bytes of an open file from one place to another, or to its end where that comes first. Each piece is its reader's to keep. */
export async function* readPieces(
  file: FileHandle,
  { path, from = 0, to }: { readonly path: string; readonly from?: number; readonly to: number },
): AsyncGenerator<Uint8Array, void> {
  for (let read = from; read < to; ) {
    const piece = Buffer.allocUnsafeSlow(Math.min(PIECE, to - read));
    const { bytesRead } = await inSystem("read", path, file.read(piece, 0, piece.length, read));
    if (bytesRead === 0) return;
    read += bytesRead;
    yield piece.subarray(0, bytesRead);
  }
}
