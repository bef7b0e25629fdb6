import type { ProgramIo } from "../../program.js";
import { errnoText, ProgramFailure } from "../gnu-program.js";
import { contentOf } from "../options.js";

export interface RowOptions {
  readonly width: number;
  /** Bytes that are left out at the beginning. */
  readonly skip: number;
  /** Bytes that are shown at most. */
  readonly most: number;
}

/** The bytes of all operands, in rows. */
export async function* byteRows(
  io: ProgramIo,
  operands: readonly string[],
  { width, skip, most }: RowOptions,
): AsyncGenerator<Buffer, void, undefined> {
  let row = Buffer.alloc(0);
  let skipped = 0;
  let left = most;
  for (const operand of operands.length === 0 ? ["-"] : operands) {
    if (left <= 0) break;
    try {
      for await (const chunk of contentOf(io, operand)) {
        let part = chunk.subarray(Math.min(chunk.length, skip - skipped));
        skipped += chunk.length - part.length;
        part = part.subarray(0, Math.min(part.length, left));
        left -= part.length;
        let bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength);
        if (row.length > 0) {
          const missing = width - row.length;
          row = Buffer.concat([row, bytes.subarray(0, missing)]);
          bytes = bytes.subarray(missing);
          if (row.length < width) continue;
          yield row;
          row = Buffer.alloc(0);
        }
        let at = 0;
        for (; at + width <= bytes.length; at += width) yield bytes.subarray(at, at + width);
        row = Buffer.from(bytes.subarray(at));
        if (left <= 0) break;
      }
    } catch (error) {
      throw new ProgramFailure(`${operand}: ${errnoText(error)}`);
    }
  }
  if (skipped < skip) throw new ProgramFailure("cannot skip past end of combined input");
  if (row.length > 0) yield row;
}

/** A size such as 16, 0x10 or 1k; undefined where it is none. */
export function byteCount(text: string): number | undefined {
  const [, hex, digits = "", unit = ""] = /^(?:0[xX]([0-9a-fA-F]+)|(\d+))([bkKmMG]?)B?$/.exec(text) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (digits === "") return undefined;
  const scale = { b: 512, k: 1024, K: 1024, m: 1024 ** 2, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 1;
  return (digits.length > 1 && digits.startsWith("0") ? Number.parseInt(digits, 8) : Number(digits)) * scale;
}

/** The widest row, in bytes. */
export const WIDEST_ROW = 64 * 1024;
