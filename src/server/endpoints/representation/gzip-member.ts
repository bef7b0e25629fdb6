import { promisify } from "node:util";
import { constants, crc32, gzip, gzipSync } from "node:zlib";
import { GZIP_OPTIONS } from "./body-writer.js";

/** Compressed at once: a thread would take longer to be asked. */
const AT_ONCE_BYTES = 16 * 1024;

const zip = promisify(gzip);

/** The data ends in front of the last block of its member. */
const OPTIONS = { ...GZIP_OPTIONS, finishFlush: constants.Z_SYNC_FLUSH };
/** The last block of a member, with no data: final, of fixed codes, and its end. */
const LAST_BLOCK = [0x03, 0x00];

/**
 * Compresses data to a gzip member (RFC 1952) that others may follow, as kube-apiserver's watches do. The data is not in the last
 * block: Go would hold that back until the next member arrives.
 */
export async function gzipMember(data: Uint8Array): Promise<Uint8Array> {
  const head = data.length <= AT_ONCE_BYTES ? gzipSync(data, OPTIONS) : await zip(data, OPTIONS);
  const tail = Buffer.alloc(LAST_BLOCK.length + 8);
  tail.set(LAST_BLOCK);
  tail.writeUInt32LE(crc32(data), LAST_BLOCK.length);
  tail.writeUInt32LE(data.length, LAST_BLOCK.length + 4);
  return Buffer.concat([head, tail]);
}
