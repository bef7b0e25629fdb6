import { sortSteps } from "../../../../base/async/sort-steps.js";
import { sliceIsSpent } from "../../../../base/async/time-slice.js";
import { absolute } from "../../files/file-system.js";
import type { Program, ProgramIo } from "../../program.js";
import { giveWay, workInSlices } from "../../slices.js";
import { errnoText, gnuProgram, type ParsedOptions, ProgramFailure } from "../gnu-program.js";
import { eachLine, latin, LineReader, TextOutput } from "../latin-text.js";
import { contentOf } from "../options.js";

/** What a line takes beside its bytes, with its keys. */
const LINE_BYTES = 128;
const FAILURE = 2;

/** Part of a line, and how it is compared. Fields and characters count from 0. */
interface Key {
  readonly from: { readonly field: number; readonly char: number; readonly skipsBlanks: boolean };
  /** Undefined: to the end of the line. A character of 0 is the field's end. */
  readonly to: { readonly field: number; readonly char: number; readonly skipsBlanks: boolean } | undefined;
  readonly options: string;
}

type KeyValue = string | readonly [rank: number, value: number] | number;

interface Line {
  readonly text: string;
  readonly keys: readonly KeyValue[];
}

const ORDERINGS = "bdfgiMhnRrV";
const EXCLUSIVE = "ghnMVR";

export const sort: Program = gnuProgram(
  {
    letters: "bdfgiMhnrRVk:t:uo:cCmszS:T:",
    long: {
      "ignore-leading-blanks": "b",
      "dictionary-order": "d",
      "ignore-case": "f",
      "general-numeric-sort": "g",
      "ignore-nonprinting": "i",
      "month-sort": "M",
      "human-numeric-sort": "h",
      "numeric-sort": "n",
      reverse: "r",
      "version-sort": "V",
      key: "k",
      "field-separator": "t",
      unique: "u",
      output: "o",
      check: "c",
      merge: "m",
      stable: "s",
      "zero-terminated": "z",
      "buffer-size": "S",
      "temporary-directory": "T",
      parallel: "P:",
    },
    usageCode: FAILURE,
  },
  async (io, options) => {
    const { operands, has, value } = options;
    const separator = separatorOf(value("t"));
    const keys = keysOf(options);
    const end = has("z") ? "\0" : "\n";
    const order = new Order(keys, separator, {
      reversed: has("r"),
      lastResort: !has("u") && !has("s"),
    });
    const inputs = operands.length === 0 ? ["-"] : operands;
    if (has("cC")) return check(io, inputs[0] ?? "-", order, has("u"), has("c"), end.charCodeAt(0));
    const lines: Line[] = [];
    for (const operand of inputs) {
      try {
        const reader = new LineReader(contentOf(io, operand), io.memory, undefined, end.charCodeAt(0));
        await eachLine(io, reader, (text) => {
          io.memory.take(LINE_BYTES + text.length);
          lines.push(order.line(text));
        });
      } catch (error) {
        const message = errnoText(error);
        throw new ProgramFailure(
          message === "Is a directory" ? `read failed: ${operand}: ${message}` : `cannot read: ${operand}: ${message}`,
          FAILURE,
        );
      }
    }
    const sorted = await workInSlices(
      sortSteps(lines, (a, b) => order.compare(a, b)),
      io,
    );
    const out = new TextOutput(outputOf(io, value("o")));
    let before: Line | undefined;
    for (const line of sorted) {
      if (has("u") && before !== undefined && order.compare(before, line) === 0) continue;
      before = line;
      const written = out.write(line.text + end);
      if (written !== undefined) await written;
      if (sliceIsSpent()) await giveWay(io);
    }
    await out.flush();
    return 0;
  },
);

function outputOf(io: ProgramIo, file: string | undefined) {
  if (file === undefined) return io.stdout;
  try {
    const writer = io.files.open(absolute(io.cwd, file));
    return { write: (data: string | Uint8Array) => writer.write(Buffer.from(data as Uint8Array)) };
  } catch (error) {
    throw new ProgramFailure(`open failed: ${file}: ${errnoText(error)}`, FAILURE);
  }
}

async function check(
  io: ProgramIo,
  operand: string,
  order: Order,
  strictly: boolean,
  says: boolean,
  delimiter: number,
): Promise<number> {
  let before: Line | undefined;
  let number = 0;
  let disorder: string | undefined;
  try {
    await eachLine(io, new LineReader(contentOf(io, operand), io.memory, undefined, delimiter), (text) => {
      const line = order.line(text);
      number += 1;
      if (before !== undefined && order.compare(before, line) > (strictly ? -1 : 0)) disorder = text;
      before = line;
      return disorder !== undefined;
    });
  } catch (error) {
    throw new ProgramFailure(`cannot read: ${operand}: ${errnoText(error)}`, FAILURE);
  }
  if (disorder === undefined) return 0;
  if (says) await io.stderr.write(Buffer.from(`sort: ${operand}:${number}: disorder: ${disorder}\n`, "latin1"));
  return 1;
}

function separatorOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const separator = latin(text);
  if (separator === "") throw new ProgramFailure("empty tab", FAILURE);
  if (separator === "\\0") return "\0";
  if (separator.length > 1) throw new ProgramFailure(`multi-character tab '${text}'`, FAILURE);
  return separator;
}

function keysOf({ given, has }: ParsedOptions): Key[] {
  const global = ORDERINGS.split("")
    .filter((letter) => has(letter))
    .join("");
  const keys: Key[] = [];
  for (const [letter, text] of given) if (letter === "k") keys.push(keyOf(text, global));
  if (keys.length === 0) {
    const from = { field: 0, char: 0, skipsBlanks: global.includes("b") };
    keys.push({ from, to: undefined, options: global });
  }
  for (const { options } of keys) {
    const exclusive = EXCLUSIVE.split("")
      .filter((letter) => options.includes(letter))
      .join("");
    if (exclusive.length > 1) throw new ProgramFailure(`options '-${exclusive}' are incompatible`, FAILURE);
    if (options.includes("R")) throw new ProgramFailure("-R is not supported", FAILURE);
  }
  return keys;
}

const KEY = /^(\d+)(?:\.(\d+))?([bdfgiMhnRrV]*)(?:,(\d+)(?:\.(\d+))?([bdfgiMhnRrV]*))?$/;

function keyOf(text: string, global: string): Key {
  const [whole, field = "", char, first = "", toField, toChar, second = ""] = KEY.exec(text) ?? [];
  const invalid = (reason: string): ProgramFailure =>
    new ProgramFailure(`${reason}: invalid field specification '${text}'`, FAILURE);
  if (whole === undefined) {
    if (!/^\d/.test(text))
      throw new ProgramFailure(`invalid number at field start: invalid count at start of '${text}'`, FAILURE);
    throw invalid("stray character in field spec");
  }
  if (Number(field) === 0 || toField === "0") throw invalid("field number is zero");
  if (char !== undefined && Number(char) === 0) throw invalid("character offset is zero");
  const own = first + second;
  const options = own === "" ? global : own;
  const blanks = (part: string): boolean => (own === "" ? global : part).includes("b");
  return {
    from: { field: Number(field) - 1, char: Number(char ?? 1) - 1, skipsBlanks: blanks(first) },
    to:
      toField === undefined
        ? undefined
        : { field: Number(toField) - 1, char: Number(toChar ?? 0), skipsBlanks: blanks(second) },
    options,
  };
}

/** How lines are compared. */
class Order {
  constructor(
    private readonly keys: readonly Key[],
    private readonly separator: string | undefined,
    private readonly whole: { readonly reversed: boolean; readonly lastResort: boolean },
  ) {}

  line(text: string): Line {
    return { text, keys: this.keys.map((key) => keyValue(this.#part(text, key), key.options)) };
  }

  compare(a: Line, b: Line): number {
    for (const [index, key] of this.keys.entries()) {
      const order = compareValues(a.keys[index] ?? "", b.keys[index] ?? "", key.options);
      if (order !== 0) return key.options.includes("r") ? -order : order;
    }
    if (!this.whole.lastResort || a.text === b.text) return 0;
    return a.text < b.text !== this.whole.reversed ? -1 : 1;
  }

  #part(text: string, { from, to }: Key): string {
    let start = this.#fieldStart(text, from.field);
    if (from.skipsBlanks) start = afterBlanks(text, start);
    start = Math.min(text.length, start + from.char);
    if (to === undefined) return text.slice(start);
    let end: number;
    if (to.char === 0) end = this.#fieldEnd(text, to.field);
    else {
      end = this.#fieldStart(text, to.field);
      if (to.skipsBlanks) end = afterBlanks(text, end);
      end += to.char;
    }
    return text.slice(start, Math.max(start, end));
  }

  #fieldStart(text: string, field: number): number {
    let at = 0;
    for (let left = field; left > 0 && at < text.length; left -= 1) {
      at = this.#endFrom(text, at);
      if (this.separator !== undefined && at < text.length) at += 1;
      else if (this.separator !== undefined) return text.length;
    }
    return at;
  }

  #fieldEnd(text: string, field: number): number {
    return this.#endFrom(text, this.#fieldStart(text, field));
  }

  #endFrom(text: string, from: number): number {
    if (this.separator !== undefined) {
      const end = text.indexOf(this.separator, from);
      return end < 0 ? text.length : end;
    }
    let at = afterBlanks(text, from);
    while (at < text.length && !isBlank(text, at)) at += 1;
    return at;
  }
}

const isBlank = (text: string, at: number): boolean => text[at] === " " || text[at] === "\t";

function afterBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text, at)) at += 1;
  return at;
}

const NUMBER = /^[ \t]*(-?\d*(?:\.\d*)?)/;
const UNITS = "KMGTPEZYRQ";
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];

function keyValue(part: string, options: string): KeyValue {
  if (options.includes("n")) return Number(NUMBER.exec(part)?.[1]) || 0;
  if (options.includes("h")) {
    const [whole = "", digits = ""] = NUMBER.exec(part) ?? [];
    const value = Number(digits) || 0;
    const unit = UNITS.indexOf((part[whole.length] ?? "?").replace("k", "K")) + 1;
    return [value === 0 ? 0 : Math.sign(value) * (unit + 1), value];
  }
  if (options.includes("g")) {
    const value = Number.parseFloat(part.trimStart());
    return Number.isNaN(value) ? Number.NEGATIVE_INFINITY : value;
  }
  if (options.includes("M")) return MONTHS.indexOf(part.trimStart().slice(0, 3).toUpperCase()) + 1;
  let text = part;
  if (options.includes("d")) text = text.replace(/[^A-Za-z0-9 \t]/g, "");
  if (options.includes("i")) text = text.replace(/[^ -~]/g, "");
  if (options.includes("f")) text = text.replace(/[a-z]+/g, (letters) => letters.toUpperCase());
  return text;
}

function compareValues(a: KeyValue, b: KeyValue, options: string): number {
  if (typeof a === "object" && typeof b === "object") return a[0] - b[0] || a[1] - b[1];
  if (a === b) return 0;
  if (options.includes("V")) return compareVersions(String(a), String(b));
  return a < b ? -1 : 1;
}

/** Compares texts by the numbers in them, as `sort -V` and `ls -v` do: "1.9" is before "1.10", and "1.0~rc1" before "1.0". */
export function compareVersions(a: string, b: string): number {
  if (a === b) return 0;
  for (const special of ["", ".", ".."]) {
    if (a === special) return -1;
    if (b === special) return 1;
  }
  if (a.startsWith(".") !== b.startsWith(".")) return a.startsWith(".") ? -1 : 1;
  const [bareA, bareB] = [withoutSuffix(a), withoutSuffix(b)];
  const byBare = bareA === bareB ? 0 : compareParts(bareA, bareB);
  return byBare === 0 ? compareParts(a, b) : byBare;
}

/** Without what looks like the suffixes of a file's name. */
const withoutSuffix = (text: string): string => text.replace(/(?:\.[A-Za-z~][A-Za-z0-9~]{0,64}){1,16}$/, "");

function compareParts(a: string, b: string): number {
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    while ((i < a.length && !isDigit(a, i)) || (j < b.length && !isDigit(b, j))) {
      const order = rank(a, i) - rank(b, j);
      if (order !== 0) return order;
      i += 1;
      j += 1;
    }
    while (a[i] === "0") i += 1;
    while (b[j] === "0") j += 1;
    let difference = 0;
    while (isDigit(a, i) && isDigit(b, j)) {
      if (difference === 0) difference = a.charCodeAt(i) - b.charCodeAt(j);
      i += 1;
      j += 1;
    }
    if (isDigit(a, i)) return 1;
    if (isDigit(b, j)) return -1;
    if (difference !== 0) return difference;
  }
  return 0;
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 48 && code <= 57;
}

/** "~" is before the end, letters are before other characters. */
function rank(text: string, at: number): number {
  const char = text[at];
  if (char === undefined) return -1;
  if (isDigit(text, at)) return 0;
  if (char === "~") return -2;
  const code = char.charCodeAt(0);
  return /[A-Za-z]/.test(char) ? code : code + 256;
}
