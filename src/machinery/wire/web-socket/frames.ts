export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

const FIN = 0x80;
const MASKED = 0x80;

/** The longest payload of a control frame. */
export const LARGEST_CONTROL_PAYLOAD = 125;

/** Encodes a whole message or a control message as a frame, in parts that are to be written together. */
export function encodeFrame(opcode: number, payload: readonly Uint8Array[]): readonly Uint8Array[] {
  const length = lengthOf(payload);
  const head = Buffer.allocUnsafe(headLengthOf(length));
  writeHead(head, opcode, length, 0);
  return [head, ...payload];
}

/** Encodes a frame masked with a key, as clients must send it: the payload is copied to memory from `allocate`. */
export function encodeMaskedFrame(
  opcode: number,
  payload: readonly Uint8Array[],
  key: Uint8Array,
  allocate: (length: number) => Buffer,
): Buffer {
  const length = lengthOf(payload);
  const headLength = headLengthOf(length) + key.length;
  const frame = allocate(headLength + length);
  writeHead(frame, opcode, length, MASKED);
  frame.set(key, headLength - key.length);
  let at = headLength;
  for (const part of payload) {
    frame.set(part, at);
    at += part.length;
  }
  mask(frame.subarray(headLength), key, 0);
  return frame;
}

const lengthOf = (payload: readonly Uint8Array[]): number => payload.reduce((sum, part) => sum + part.length, 0);

/** Without a key. */
const headLengthOf = (length: number): number => (length < 126 ? 2 : length < 0x10000 ? 4 : 10);

function writeHead(head: Buffer, opcode: number, length: number, masked: number): void {
  const headLength = headLengthOf(length);
  head[0] = FIN | opcode;
  head[1] = masked | (headLength === 2 ? length : headLength === 4 ? 126 : 127);
  if (headLength === 4) head.writeUInt16BE(length, 2);
  if (headLength === 10) head.writeBigUInt64BE(BigInt(length), 2);
}

/** Masks or unmasks bytes with the four bytes of `key`, in place. `done` is the number of earlier bytes of the same frame. */
export function mask(bytes: Uint8Array, key: Uint8Array, done: number): void {
  const { length } = bytes;
  const keyAt = (index: number): number => key[(done + index) & 3] ?? 0;
  const one = (index: number): void => {
    bytes[index] = (bytes[index] ?? 0) ^ keyAt(index);
  };
  let index = 0;
  while (index < length && ((bytes.byteOffset + index) & 3) !== 0) one(index++);
  // Four bytes at a time.
  const words = (length - index) >> 2;
  if (words > 0) {
    const [word = 0] = new Int32Array(Uint8Array.from([0, 1, 2, 3], (byte) => keyAt(index + byte)).buffer);
    const at = new Int32Array(bytes.buffer, bytes.byteOffset + index, words);
    for (let each = 0; each < words; each++) at[each] = (at[each] ?? 0) ^ word;
    index += words * 4;
  }
  while (index < length) one(index++);
}
