import { type Cursor, isBlank, isSpaceOrEnd, isWord, scannerError } from "./cursor.js";

/** A tag before its handle is looked up: `!!str` is handle "!!" and suffix "str"; a verbatim one has no handle. */
export interface Tag {
  readonly handle: string;
  readonly suffix: string;
}

/** Scans a tag; the cursor is at its `!`. */
export function scanTag(cursor: Cursor): Tag {
  const tag = cursor.peek(1) === "<" ? scanVerbatim(cursor) : scanShorthand(cursor);
  if (!isSpaceOrEnd(cursor.peek())) throw cursor.error("did not find expected whitespace or line break");
  return tag;
}

function scanVerbatim(cursor: Cursor): Tag {
  cursor.skip(2);
  const suffix = scanUri(cursor, "");
  if (cursor.peek() !== ">") throw cursor.error("did not find the expected '>'");
  cursor.skip();
  return { handle: "", suffix };
}

function scanShorthand(cursor: Cursor): Tag {
  const handle = scanHandle(cursor, false);
  if (handle.length > 1 && handle.endsWith("!")) return { handle, suffix: scanUri(cursor, "") };
  // No handle after all: what was read belongs to the suffix. A lone "!" is a tag by itself.
  const suffix = scanUri(cursor, handle);
  return suffix === "" ? { handle: "", suffix: "!" } : { handle: "!", suffix };
}

function scanHandle(cursor: Cursor, inDirective: boolean): string {
  if (cursor.peek() !== "!") throw cursor.error("did not find expected '!'");
  let handle = cursor.read();
  while (isWord(cursor.peek())) handle += cursor.read();
  if (cursor.peek() === "!") return handle + cursor.read();
  if (inDirective && handle !== "!") throw cursor.error("did not find expected '!'");
  return handle;
}

function scanUri(cursor: Cursor, head: string): string {
  let uri = head.slice(1);
  let found = head !== "";
  for (let character = cursor.peek(); isUriCharacter(character); character = cursor.peek()) {
    uri += character === "%" ? scanUriEscape(cursor) : cursor.read();
    found = true;
  }
  if (!found) throw cursor.error("did not find expected tag URI");
  return uri;
}

const isUriCharacter = (character: string): boolean =>
  isWord(character) || (character !== "" && ";/?:@&=+$,.!~*'()[]%".includes(character));

function scanUriEscape(cursor: Cursor): string {
  const bytes: number[] = [];
  let wanted = 1;
  while (bytes.length < wanted) {
    const hex = cursor.peek(1) + cursor.peek(2);
    if (cursor.peek() !== "%" || !/^[0-9a-fA-F]{2}$/.test(hex)) {
      throw cursor.error("did not find URI escaped octet");
    }
    const byte = Number.parseInt(hex, 16);
    if (bytes.length === 0) {
      wanted = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
      if (wanted === 0) throw cursor.error("found an incorrect leading UTF-8 octet");
    } else if ((byte & 0xc0) !== 0x80) throw cursor.error("found an incorrect trailing UTF-8 octet");
    bytes.push(byte);
    cursor.skip(3);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

export type Directive =
  | { readonly kind: "yaml"; readonly version: string }
  | { readonly kind: "tag"; readonly handle: string; readonly prefix: string };

/** Scans a line that begins with `%`, with its end. */
export function scanDirective(cursor: Cursor): Directive {
  const start = cursor.mark;
  cursor.skip();
  let name = "";
  while (isWord(cursor.peek())) name += cursor.read();
  if (name === "") throw scannerError("could not find expected directive name", start, start);
  if (!isSpaceOrEnd(cursor.peek())) throw cursor.error("found unexpected non-alphabetical character");
  if (name !== "YAML" && name !== "TAG") throw cursor.error("found unknown directive name");
  cursor.skipWhile(isBlank);
  const directive = name === "YAML" ? scanVersion(cursor) : scanTagDirective(cursor);
  cursor.skipWhile(isBlank);
  cursor.skipComment();
  if (!isSpaceOrEnd(cursor.peek())) throw cursor.error("did not find expected comment or line break");
  if (cursor.peek() !== "") cursor.readBreak();
  return directive;
}

function scanVersion(cursor: Cursor): Directive {
  const major = scanVersionNumber(cursor);
  if (cursor.peek() !== ".") throw cursor.error("did not find expected digit or '.' character");
  cursor.skip();
  return { kind: "yaml", version: `${major}.${scanVersionNumber(cursor)}` };
}

function scanVersionNumber(cursor: Cursor): number {
  let digits = "";
  while (/^[0-9]$/.test(cursor.peek())) {
    if (digits.length === 2) throw cursor.error("found extremely long version number");
    digits += cursor.read();
  }
  if (digits === "") throw cursor.error("did not find expected version number");
  return Number(digits);
}

function scanTagDirective(cursor: Cursor): Directive {
  const handle = scanHandle(cursor, true);
  if (!isBlank(cursor.peek())) throw cursor.error("did not find expected whitespace");
  cursor.skipWhile(isBlank);
  const prefix = scanUri(cursor, "");
  if (!isSpaceOrEnd(cursor.peek())) throw cursor.error("did not find expected whitespace or line break");
  return { kind: "tag", handle, prefix };
}
