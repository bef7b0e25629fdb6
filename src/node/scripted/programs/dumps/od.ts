import { dictionary } from "../../../../base/collections/dictionary.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import type { Program, ProgramIo } from "../../program.js";
import { giveWay } from "../../slices.js";
import { gnuProgram, ProgramFailure, errnoText } from "../gnu-program.js";
import { TextOutput } from "../latin-text.js";
import { contentOf } from "../options.js";

export interface RowOptions {
  readonly width: number;
  /** Bytes that are left out at the beginning. */
  readonly skip: number;
  /** Bytes that are shown at most. */
  readonly most: number;
}

/** Iterates over the bytes of all operands, in rows. */
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

/** Parses a size such as 16, 0x10 or 1k; undefined for an invalid one. */
export function byteCount(text: string): number | undefined {
  const [, hex, digits = "", unit = ""] = /^(?:0[xX]([0-9a-fA-F]+)|(\d+))([bkKmMG]?)B?$/.exec(text) ?? [];
  if (hex !== undefined) return Number.parseInt(hex, 16);
  if (digits === "") return undefined;
  const scale = { b: 512, k: 1024, K: 1024, m: 1024 ** 2, M: 1024 ** 2, G: 1024 ** 3 }[unit] ?? 1;
  return (digits.length > 1 && digits.startsWith("0") ? Number.parseInt(digits, 8) : Number(digits)) * scale;
}

/** The size of the widest row in bytes. */
export const WIDEST_ROW = 64 * 1024;

interface Format {
  readonly kind: string;
  /** Bytes that a number is made of. */
  readonly size: number;
  /** Characters of a field, with the blank before it. */
  readonly width: number;
  /** "z": the row's characters are shown as well. */
  readonly shows: boolean;
}

const ROW = 16;
const DIGITS: Readonly<Record<string, readonly number[]>> = dictionary({
  o: [3, 6, 11, 22],
  x: [2, 4, 8, 16],
  u: [3, 5, 10, 20],
  d: [4, 6, 11, 20],
});
/** Old options, each with the type that it stands for. */
const OLD: Readonly<Record<string, string>> = dictionary({
  a: "a",
  b: "o1",
  c: "c",
  d: "u2",
  i: "d4",
  l: "d8",
  o: "o2",
  s: "d2",
  x: "x2",
});
const SIZES: Readonly<Record<string, number>> = dictionary({ C: 1, S: 2, I: 4, L: 8, "": 4 });
const NAMES =
  "nul soh stx etx eot enq ack bel bs ht nl vt ff cr so si dle dc1 dc2 dc3 dc4 nak syn etb can em sub esc fs gs rs us sp".split(
    " ",
  );
const ESCAPES: Readonly<Record<number, string>> = {
  0: "\\0",
  7: "\\a",
  8: "\\b",
  9: "\\t",
  10: "\\n",
  11: "\\v",
  12: "\\f",
  13: "\\r",
};

export const od: Program = gnuProgram(
  {
    letters: "A:j:N:t:vw::abcdilosx",
    long: {
      "address-radix": "A",
      "skip-bytes": "j",
      "read-bytes": "N",
      format: "t",
      "output-duplicates": "v",
      width: "w",
    },
  },
  async (io, { given, operands, has, value }) => {
    const formats: Format[] = [];
    for (const [letter, text] of given) {
      if (letter === "t") formats.push(...formatsOf(text));
      else if (OLD[letter] !== undefined) formats.push(...formatsOf(OLD[letter] ?? ""));
    }
    if (formats.length === 0) formats.push(...formatsOf("o2"));
    const count = (letter: string, usual: number): number => {
      const text = value(letter);
      const number = text === undefined ? usual : byteCount(text);
      if (number === undefined) throw new ProgramFailure(`invalid -${letter} argument '${text ?? ""}'`);
      return number;
    };
    const radix = value("A") ?? "o";
    if (!/^[doxn]$/.test(radix)) {
      throw new ProgramFailure(`invalid output address radix '${radix}'; it must be one character from [doxn]`);
    }
    const width = has("w") ? Math.min(WIDEST_ROW, Number(value("w") ?? 0) || 32) : ROW;
    const skip = count("j", 0);
    const rows = byteRows(io, operands, { width, skip, most: count("N", Number.POSITIVE_INFINITY) });
    const out = new TextOutput(io.stdout);
    const address = (at: number): string =>
      radix === "n" ? "" : at.toString({ d: 10, o: 8, x: 16 }[radix] ?? 8).padStart(radix === "x" ? 6 : 7, "0");
    let at = skip;
    let before: Buffer | undefined;
    let isStarred = false;
    for await (const row of rows) {
      if (!has("v") && before !== undefined && row.length === width && row.equals(before)) {
        if (!isStarred) await out.write("*\n");
        isStarred = true;
      } else {
        isStarred = false;
        await out.write(rowText(row, width, formats, address(at)));
      }
      before = Buffer.from(row);
      at += row.length;
      if (sliceIsSpent()) await giveWay(io);
    }
    if (radix !== "n") await out.write(`${address(at)}\n`);
    await out.flush();
    return 0;
  },
);

function formatsOf(text: string): Format[] {
  const formats: Format[] = [];
  const one = /([acdoxu])(\d*|[CSIL])(z?)/y;
  while (one.lastIndex < text.length) {
    const start = one.lastIndex;
    const [, kind = "", sizeText = "", shows = ""] = one.exec(text) ?? [];
    if (kind === "") throw new ProgramFailure(`invalid character '${text[start] ?? ""}' in type string '${text}'`);
    const size = "ac".includes(kind) ? 1 : (SIZES[sizeText] ?? Number(sizeText));
    if (![1, 2, 4, 8].includes(size)) {
      throw new ProgramFailure(
        `invalid type string '${text}';\nthis system doesn't provide a ${size}-byte integral type`,
      );
    }
    const digits = "ac".includes(kind) ? 3 : (DIGITS[kind]?.[Math.log2(size)] ?? 3);
    formats.push({ kind, size, width: digits + 1, shows: shows === "z" });
  }
  return formats;
}

function rowText(row: Buffer, width: number, formats: readonly Format[], address: string): string {
  const widest = Math.max(...formats.map((format) => (format.width * width) / format.size));
  let text = "";
  for (const [index, format] of formats.entries()) {
    const fields = Math.ceil(row.length / format.size);
    const all = width / format.size;
    const padding = widest - format.width * all;
    let line = index === 0 ? address : " ".repeat(address.length);
    for (let field = 0; field < fields; field += 1) {
      const more = Math.floor((padding * (field + 1)) / all) - Math.floor((padding * field) / all);
      line += fieldText(row, field * format.size, format).padStart(format.width + more);
    }
    if (format.shows) {
      const missing = format.width * (all - fields) + (padding - Math.floor((padding * fields) / all));
      line += `${" ".repeat(missing)}  >${row.toString("latin1").replace(/[^ -~]/g, ".")}<`;
    }
    text += `${line}\n`;
  }
  return text;
}

function fieldText(row: Buffer, at: number, { kind, size, width }: Format): string {
  const byte = row[at] ?? 0;
  if (kind === "a") return byte % 128 === 127 ? "del" : (NAMES[byte % 128] ?? String.fromCharCode(byte % 128));
  if (kind === "c")
    return ESCAPES[byte] ?? (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : byte.toString(8).padStart(3, "0"));
  let number = 0n;
  for (let index = size - 1; index >= 0; index -= 1) number = (number << 8n) | BigInt(row[at + index] ?? 0);
  if (kind === "d") return BigInt.asIntN(8 * size, number).toString();
  if (kind === "u") return number.toString();
  return number.toString(kind === "x" ? 16 : 8).padStart(width - 1, "0");
}
