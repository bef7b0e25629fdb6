import { mask } from "./mask.js";

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const FIN = 0x80;
const MASKED = 0x80;

/** The longest payload of a control frame. */
export const LARGEST_CONTROL_PAYLOAD = 125;

/**
 * A frame with a whole message or a control message, in parts that are to be written together. With a key, which clients must send, the
 * payload is copied and masked.
 */
export function encodeFrame(
  opcode: number,
  payload: readonly Uint8Array[],
  key: Uint8Array | undefined,
): readonly Uint8Array[] {
  const length = payload.reduce((sum, part) => sum + part.length, 0);
  const lengthBytes = length < 126 ? 0 : length < 0x10000 ? 2 : 8;
  const keyBytes = key === undefined ? 0 : 4;
  const headLength = 2 + lengthBytes + keyBytes;
  const head = Buffer.allocUnsafe(key === undefined ? headLength : headLength + length);
  head[0] = FIN | opcode;
  head[1] = (key === undefined ? 0 : MASKED) | (lengthBytes === 0 ? length : lengthBytes === 2 ? 126 : 127);
  if (lengthBytes === 2) head.writeUInt16BE(length, 2);
  if (lengthBytes === 8) head.writeBigUInt64BE(BigInt(length), 2);
  if (key === undefined) return [head, ...payload];
  head.set(key, 2 + lengthBytes);
  let at = headLength;
  for (const part of payload) {
    head.set(part, at);
    at += part.length;
  }
  mask(head.subarray(headLength), key, 0);
  return [head];
}
