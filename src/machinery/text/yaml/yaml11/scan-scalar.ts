import { type Cursor, isBlank, isBreak, isBreakOrEnd, isSpaceOrEnd } from "./cursor.js";

export interface ScannedScalar {
  readonly value: string;
  /** A plain scalar that ended at a line break: a key may begin where the cursor stands. */
  readonly endedByBreak: boolean;
}

/** White space between two pieces of a scalar: within a line it stays, line breaks are folded. */
class Gap {
  #blanks = "";
  #firstBreak = "";
  #furtherBreaks = "";
  #lines = 0;

  get hasBreak(): boolean {
    return this.#lines > 0;
  }

  /** Takes the blanks and breaks at the cursor. `refuseTab` is asked about blanks that begin a line. */
  read(cursor: Cursor, refuseTab?: () => void): void {
    for (let character = cursor.peek(); isBlank(character) || isBreak(character); character = cursor.peek()) {
      if (isBlank(character)) {
        if (this.#lines > 0 && character === "\t") refuseTab?.();
        if (this.#lines > 0) cursor.skip();
        else this.#blanks += cursor.read();
      } else if (this.#lines === 0) this.startLines(cursor.readBreak());
      else this.#furtherBreaks += cursor.readBreak();
    }
  }

  /** From here on breaks count; "" for a break that was escaped. */
  startLines(firstBreak: string): void {
    this.#lines += 1;
    this.#blanks = "";
    this.#firstBreak = firstBreak;
  }

  fold(): string {
    if (this.#lines === 0) return this.#blanks;
    if (this.#firstBreak === "\n") return this.#furtherBreaks === "" ? " " : this.#furtherBreaks;
    return this.#firstBreak + this.#furtherBreaks;
  }
}

/** Scans a plain scalar. `indent` is the column below which a line no longer belongs to it. */
export function scanPlain(cursor: Cursor, indent: number, inFlow: boolean): ScannedScalar {
  let value = "";
  let gap = new Gap();
  for (;;) {
    if (cursor.atDocumentIndicator() || cursor.peek() === "#") break;
    for (let character = cursor.peek(); !isSpaceOrEnd(character); character = cursor.peek()) {
      if (character === ":" && isSpaceOrEnd(cursor.peek(1))) break;
      if (inFlow && ",?[]{}".includes(character)) break;
      value += gap.fold() + cursor.read();
      gap = new Gap();
    }
    if (!isBlank(cursor.peek()) && !isBreak(cursor.peek())) break;
    gap.read(cursor, () => {
      if (cursor.column < indent) throw cursor.error("found a tab character that violates indentation");
    });
    if (!inFlow && cursor.column < indent) break;
  }
  return { value, endedByBreak: gap.hasBreak };
}

/** Scans a quoted scalar; the cursor is at its opening quote. */
export function scanQuoted(cursor: Cursor): string {
  const quote = cursor.read();
  let value = "";
  for (;;) {
    if (cursor.atDocumentIndicator()) throw cursor.error("found unexpected document indicator");
    if (cursor.peek() === "") throw cursor.error("found unexpected end of stream");
    const gap = new Gap();
    for (let character = cursor.peek(); !isSpaceOrEnd(character); character = cursor.peek()) {
      if (character === quote && !(quote === "'" && cursor.peek(1) === "'")) break;
      if (character === quote) {
        cursor.skip(2);
        value += quote;
      } else if (quote === '"' && character === "\\" && isBreak(cursor.peek(1))) {
        cursor.skip();
        cursor.readBreak();
        gap.startLines("");
        break;
      } else value += quote === '"' && character === "\\" ? scanEscape(cursor) : cursor.read();
    }
    if (cursor.peek() === quote) break;
    gap.read(cursor);
    value += gap.fold();
  }
  cursor.skip();
  return value;
}

const escapes: Readonly<Record<string, string>> = {
  "0": "\0",
  a: "\u0007",
  b: "\b",
  t: "\t",
  "\t": "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  e: "\u001b",
  " ": " ",
  '"': '"',
  "'": "'",
  "\\": "\\",
  N: "\u0085",
  _: "\u00a0",
  L: "\u2028",
  P: "\u2029",
};

function scanEscape(cursor: Cursor): string {
  const kind = cursor.peek(1);
  const known = Object.hasOwn(escapes, kind) ? escapes[kind] : undefined;
  const length = kind === "x" ? 2 : kind === "u" ? 4 : kind === "U" ? 8 : 0;
  if (known === undefined && length === 0) throw cursor.error("found unknown escape character");
  cursor.skip(2);
  if (known !== undefined) return known;
  let digits = "";
  while (digits.length < length && /^[0-9a-fA-F]$/.test(cursor.peek(digits.length)))
    digits += cursor.peek(digits.length);
  if (digits.length < length) throw cursor.error("did not find expected hexdecimal number");
  const code = Number.parseInt(digits, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) {
    throw cursor.error("found invalid Unicode character escape code");
  }
  cursor.skip(length);
  return String.fromCodePoint(code);
}

/** Scans a literal or folded scalar; the cursor is at its `|` or `>`. `parentIndent` is -1 at the top. */
export function scanBlock(cursor: Cursor, parentIndent: number): string {
  const literal = cursor.read() === "|";
  const { chomping, increment } = scanBlockHeader(cursor);
  const block = { indent: increment === 0 ? 0 : Math.max(parentIndent, 0) + increment, parentIndent };
  let value = "";
  let lastBreak = "";
  let followedBlank = false;
  let breaks = scanBlockBreaks(cursor, block);
  while (cursor.column === block.indent && cursor.peek() !== "") {
    const blank = isBlank(cursor.peek());
    if (!literal && !followedBlank && !blank && lastBreak === "\n") value += breaks === "" ? " " : "";
    else value += lastBreak;
    value += breaks;
    followedBlank = blank;
    while (!isBreakOrEnd(cursor.peek())) value += cursor.read();
    lastBreak = cursor.peek() === "" ? "" : cursor.readBreak();
    breaks = scanBlockBreaks(cursor, block);
  }
  if (chomping !== "-") value += lastBreak;
  return chomping === "+" ? value + breaks : value;
}

function scanBlockHeader(cursor: Cursor): { readonly chomping: string; readonly increment: number } {
  let chomping = "";
  let increment = 0;
  const scanChomping = (): void => {
    if (cursor.peek() === "+" || cursor.peek() === "-") chomping = cursor.read();
  };
  scanChomping();
  if (/^[0-9]$/.test(cursor.peek())) {
    if (cursor.peek() === "0") throw cursor.error("found an indentation indicator equal to 0");
    increment = Number(cursor.read());
    if (chomping === "") scanChomping();
  }
  cursor.skipWhile(isBlank);
  cursor.skipComment();
  if (!isBreakOrEnd(cursor.peek())) throw cursor.error("did not find expected comment or line break");
  if (cursor.peek() !== "") cursor.readBreak();
  return { chomping, increment };
}

/** Takes empty lines and the next line's indentation; settles the block's when that is still 0. */
function scanBlockBreaks(cursor: Cursor, block: { indent: number; readonly parentIndent: number }): string {
  let breaks = "";
  let deepest = 0;
  const inside = (): boolean => block.indent === 0 || cursor.column < block.indent;
  for (;;) {
    while (inside() && cursor.peek() === " ") cursor.skip();
    deepest = Math.max(deepest, cursor.column);
    if (inside() && cursor.peek() === "\t") {
      throw cursor.error("found a tab character where an indentation space is expected");
    }
    if (!isBreak(cursor.peek())) break;
    breaks += cursor.readBreak();
  }
  if (block.indent === 0) block.indent = Math.max(deepest, block.parentIndent + 1, 1);
  return breaks;
}
