import { expect, test } from "vitest";
import { FrameReader } from "../../../../src/machinery/wire/web-socket/frame-reader.js";
import { encodeFrame, OPCODE } from "../../../../src/machinery/wire/web-socket/frames.js";

const frame = (opcode: number, payload: Uint8Array): Buffer => Buffer.concat(encodeFrame(opcode, [payload]));
const message = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, n) => n % 251));

/** Short and long heads, and control frames between them. */
const FRAMES = [
  { opcode: OPCODE.binary, payload: message(1) },
  { opcode: OPCODE.ping, payload: message(125) },
  { opcode: OPCODE.binary, payload: message(70_000) },
  { opcode: OPCODE.pong, payload: message(0) },
  { opcode: OPCODE.binary, payload: message(300) },
  { opcode: OPCODE.binary, payload: message(0) },
  { opcode: OPCODE.close, payload: message(2) },
];
const BYTES = Buffer.concat(FRAMES.map(({ opcode, payload }) => frame(opcode, payload)));

/** Texts are compared a hundred times faster than buffers. */
const shown = (opcode: number, payload: Uint8Array): string => `${opcode} ${Buffer.from(payload).toString("latin1")}`;
const EXPECTED = FRAMES.map(({ opcode, payload }) => shown(opcode, payload));

/** What is read of these chunks: messages in one piece each. */
function read(chunks: readonly Buffer[]): readonly string[] {
  const reader = new FrameReader(false);
  const found: string[] = [];
  let parts: Buffer[] = [];
  for (const chunk of chunks) {
    for (const part of reader.read(chunk)) {
      if (part.kind === "control") {
        found.push(shown(part.opcode, part.payload));
        continue;
      }
      parts.push(Buffer.from(part.data));
      if (!part.last) continue;
      found.push(shown(OPCODE.binary, Buffer.concat(parts)));
      parts = [];
    }
  }
  return found;
}

test("WebSocket frames are read the same wherever their bytes are split in two", () => {
  for (let cut = 0; cut <= BYTES.length; cut += cut > 200 && cut < 70_000 ? 997 : 1) {
    expect(read([BYTES.subarray(0, cut), BYTES.subarray(cut)]), `cut at ${cut}`).toEqual(EXPECTED);
  }
});

test("WebSocket frames are read the same in chunks of any one length", () => {
  for (const length of [1, 2, 3, 7, 13, 139, 140, 141, 142, 279, 280, 281, 1000, 65_536]) {
    const count = Math.ceil(BYTES.length / length);
    const chunks = Array.from({ length: count }, (_, n) => BYTES.subarray(n * length, (n + 1) * length));
    expect(read(chunks), `in chunks of ${length}`).toEqual(EXPECTED);
  }
});
