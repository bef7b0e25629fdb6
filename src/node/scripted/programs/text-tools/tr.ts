import { dictionary } from "../../../../base/collections/dictionary.js";
import type { Program } from "../../program.js";
import { gnuProgram, type ParsedOptions, ProgramFailure, UsageError } from "../gnu-program.js";
import { latin } from "../latin-text.js";

/** A set as it is written: the bytes in their order, and where classes of letters stand in it. */
interface CharacterSet {
  readonly bytes: number[];
  readonly cases: ReadonlyMap<number, "upper" | "lower">;
  /** Where [c*] stands, which fills the set up. */
  readonly filler: { readonly at: number; readonly byte: number } | undefined;
  /** Holds a class that may not stand in the second set. */
  readonly hasClass: boolean;
}

const BYTES = 256;
/** So many bytes are translated at a time. */
const BLOCK = 64 * 1024;
/** How often [c*n] may repeat a byte. */
const MOST_REPEATS = 64 * 1024;

const CLASSES: Readonly<Record<string, RegExp>> = dictionary({
  alpha: /[A-Za-z]/,
  digit: /[0-9]/,
  alnum: /[0-9A-Za-z]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /[\t-\r ]/,
  blank: /[\t ]/,
  punct: /[!-/:-@[-`{-~]/,
  print: /[ -~]/,
  graph: /[!-~]/,
  cntrl: /[^ -~\x80-\xff]/,
  xdigit: /[0-9A-Fa-f]/,
});

const ESCAPES: Readonly<Record<string, string>> = dictionary({
  a: "\x07",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
});

export const tr: Program = gnuProgram(
  {
    letters: "+cCdst",
    long: { complement: "c", delete: "d", "squeeze-repeats": "s", "truncate-set1": "t" },
  },
  async (io, options) => {
    checkOperands(options);
    const { operands, has } = options;
    const [first, second] = operands.map((text) => setOf(latin(text)));
    const deletes = has("d");
    const squeezes = has("s");
    let source = first?.bytes ?? [];
    if (has("cC")) {
      const listed = new Set(source);
      source = Array.from({ length: BYTES }, (_, byte) => byte).filter((byte) => !listed.has(byte));
    }
    const removed = new Uint8Array(BYTES);
    const mapped = Uint8Array.from({ length: BYTES }, (_, byte) => byte);
    const squeezed = new Uint8Array(BYTES);
    if (deletes) for (const byte of source) removed[byte] = 1;
    else if (second !== undefined && first !== undefined) translate(source, first, second, options, mapped);
    if (squeezes) {
      const target = second === undefined ? source : deletes ? second.bytes : source.map((byte) => mapped[byte] ?? 0);
      for (const byte of target) squeezed[byte] = 1;
    }
    let last = -1;
    for await (const chunk of io.stdin) {
      for (let at = 0; at < chunk.length; at += BLOCK) {
        const part = chunk.subarray(at, at + BLOCK);
        const result = Buffer.allocUnsafe(part.length);
        let length = 0;
        for (const byte of part) {
          if (removed[byte] === 1) continue;
          const changed = mapped[byte] ?? 0;
          if (squeezed[changed] === 1 && changed === last) continue;
          result[length++] = last = changed;
        }
        await io.stdout.write(result.subarray(0, length));
      }
    }
    return 0;
  },
);

function checkOperands({ operands, has }: ParsedOptions): void {
  const deletesOnly = has("d") && !has("s");
  const least = has("d") === has("s") ? 2 : 1;
  const most = deletesOnly ? 1 : 2;
  if (operands.length < least) {
    if (operands.length === 0) throw new UsageError("missing operand");
    const why = has("d") ? "both deleting and squeezing repeats" : "translating";
    throw new UsageError(`missing operand after '${operands[0] ?? ""}'\nTwo strings must be given when ${why}.`);
  }
  if (operands.length <= most) return;
  const hint =
    deletesOnly && operands.length === 2
      ? "\nOnly one string may be given when deleting without squeezing repeats."
      : "";
  throw new UsageError(`extra operand '${operands[most] ?? ""}'${hint}`);
}

function translate(
  source: readonly number[],
  first: CharacterSet,
  second: CharacterSet,
  { has }: ParsedOptions,
  mapped: Uint8Array,
): void {
  if (second.hasClass) {
    throw new ProgramFailure(
      "when translating, the only character classes that may appear in\nstring2 are 'upper' and 'lower'",
    );
  }
  for (const at of second.cases.keys()) {
    if (has("cC") || !first.cases.has(at)) throw new ProgramFailure("misaligned [:upper:] and/or [:lower:] construct");
  }
  const target = [...second.bytes];
  if (second.filler !== undefined) {
    const missing = Math.max(0, source.length - target.length);
    target.splice(second.filler.at, 0, ...Array.from({ length: missing }, () => second.filler?.byte ?? 0));
  }
  if (!has("t") && source.length > target.length) {
    const last = target.at(-1);
    if (last === undefined) throw new ProgramFailure("when not truncating set1, string2 must be non-empty");
    while (target.length < source.length) target.push(last);
  }
  for (const [index, byte] of source.entries()) {
    const to = target[index];
    if (to !== undefined) mapped[byte] = to;
  }
}

function setOf(text: string): CharacterSet {
  const bytes: number[] = [];
  const cases = new Map<number, "upper" | "lower">();
  let filler: CharacterSet["filler"];
  let hasClass = false;
  const add = (members: RegExp): void => {
    for (let byte = 0; byte < BYTES; byte += 1) if (members.test(String.fromCharCode(byte))) bytes.push(byte);
  };
  const token =
    /\[:([^:\]]*):\]|\[=([^])=\]|\[(\\[^]|[^\\])\*(\d*)\]|(\\(?:[0-7]{1,3}|[^])|[^])(?:-(\\(?:[0-7]{1,3}|[^])|[^]))?/y;
  while (token.lastIndex < text.length) {
    const [, name, equal, repeated, count = "", from = "", to] = token.exec(text) ?? [];
    if (name !== undefined) {
      const members = CLASSES[name];
      if (members === undefined) throw new ProgramFailure(`invalid character class '${name}'`);
      if (name === "upper" || name === "lower") cases.set(bytes.length, name);
      else hasClass = true;
      add(members);
    } else if (equal !== undefined) bytes.push(equal.charCodeAt(0));
    else if (repeated !== undefined) {
      const byte = byteOf(repeated);
      const times = Number.parseInt(count, count.startsWith("0") ? 8 : 10) || 0;
      if (times === 0) filler = { at: bytes.length, byte };
      else for (let left = Math.min(times, MOST_REPEATS); left > 0; left -= 1) bytes.push(byte);
    } else if (to === undefined) bytes.push(byteOf(from));
    else {
      const [first, last] = [byteOf(from), byteOf(to)];
      if (first > last)
        throw new ProgramFailure(`range-endpoints of '${from}-${to}' are in reverse collating sequence order`);
      for (let byte = first; byte <= last; byte += 1) bytes.push(byte);
    }
  }
  return { bytes, cases, filler, hasClass };
}

function byteOf(char: string): number {
  if (char.length === 1) return char.charCodeAt(0);
  const rest = char.slice(1);
  return /^[0-7]/.test(rest) ? Number.parseInt(rest, 8) & 0xff : (ESCAPES[rest] ?? rest).charCodeAt(0);
}
