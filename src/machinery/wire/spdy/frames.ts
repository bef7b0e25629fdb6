/** Types of control frames. */
export const TYPE = {
  synStream: 1,
  synReply: 2,
  rstStream: 3,
  settings: 4,
  ping: 6,
  goAway: 7,
  headers: 8,
  windowUpdate: 9,
} as const;

export const FLAG_FIN = 1;
export const FLAG_UNIDIRECTIONAL = 2;

/** Why a stream is reset. */
export const RESET = { protocolError: 1, refusedStream: 3, cancel: 5, flowControlError: 7 } as const;

export const SETTING_INITIAL_WINDOW = 7;

/** The bytes of a control frame of version 3. Numbers are written as 32 bits. */
export function controlFrame(type: number, flags: number, ...payload: readonly (number | Uint8Array)[]): Buffer {
  const length = payload.reduce<number>((sum, part) => sum + (typeof part === "number" ? 4 : part.length), 0);
  const frame = Buffer.allocUnsafe(8 + length);
  frame.writeUInt16BE(0x8003, 0);
  frame.writeUInt16BE(type, 2);
  frame.writeUInt32BE(((flags << 24) | length) >>> 0, 4);
  let at = 8;
  for (const part of payload) {
    if (typeof part === "number") at = frame.writeUInt32BE(part, at);
    else {
      frame.set(part, at);
      at += part.length;
    }
  }
  return frame;
}

/** SYN_STREAM with no associated stream and the highest priority. */
export function synStream(streamId: number, headers: Uint8Array): Buffer {
  return controlFrame(TYPE.synStream, 0, streamId, 0, Buffer.alloc(2), headers);
}

/** The eight bytes before the data of a DATA frame. */
export function dataHead(streamId: number, length: number, fin: boolean): Buffer {
  const head = Buffer.allocUnsafe(8);
  head.writeUInt32BE(streamId, 0);
  head.writeUInt32BE((((fin ? FLAG_FIN : 0) << 24) | length) >>> 0, 4);
  return head;
}
