import { type Cursor, isBlank, isSpaceOrEnd, isWord, scannerError } from "./cursor.js";

/** A tag before its handle is looked up: `!!str` is handle "!!" and suffix "str"; a verbatim one has no handle. */
export interface Tag {
  readonly handle: string;
  readonly suffix: string;
}

/** The cursor stands on the `!`. */
export function scanTag(cursor: Cursor): Tag {
  const tag = cursor.peek(1) === "<" ? scanVerbatim(cursor) : scanShorthand(cursor);
  if (!isSpaceOrEnd(cursor.peek())) throw scannerError("did not find expected whitespace or line break", cursor.mark);
  return tag;
}

function scanVerbatim(cursor: Cursor): Tag {
  cursor.skip(2);
  const suffix = scanUri(cursor, "");
  if (cursor.peek() !== ">") throw scannerError("did not find the expected '>'", cursor.mark);
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
  if (cursor.peek() !== "!") throw scannerError("did not find expected '!'", cursor.mark);
  let handle = cursor.read();
  while (isWord(cursor.peek())) handle += cursor.read();
  if (cursor.peek() === "!") return handle + cursor.read();
  if (inDirective && handle !== "!") throw scannerError("did not find expected '!'", cursor.mark);
  return handle;
}

function scanUri(cursor: Cursor, head: string): string {
  let uri = head.slice(1);
  let found = head !== "";
  for (let character = cursor.peek(); isUriCharacter(character); character = cursor.peek()) {
    uri += character === "%" ? scanUriEscape(cursor) : cursor.read();
    found = true;
  }
  if (!found) throw scannerError("did not find expected tag URI", cursor.mark);
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
      throw scannerError("did not find URI escaped octet", cursor.mark);
    }
    const byte = Number.parseInt(hex, 16);
    if (bytes.length === 0) {
      wanted = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 0;
      if (wanted === 0) throw scannerError("found an incorrect leading UTF-8 octet", cursor.mark);
    } else if ((byte & 0xc0) !== 0x80) throw scannerError("found an incorrect trailing UTF-8 octet", cursor.mark);
    bytes.push(byte);
    cursor.skip(3);
  }
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

export type Directive =
  | { readonly kind: "yaml"; readonly version: string }
  | { readonly kind: "tag"; readonly handle: string; readonly prefix: string };

/** A line that begins with `%`, up to and including its end. */
export function scanDirective(cursor: Cursor): Directive {
  const start = cursor.mark;
  cursor.skip();
  let name = "";
  while (isWord(cursor.peek())) name += cursor.read();
  if (name === "") throw scannerError("could not find expected directive name", start);
  if (!isSpaceOrEnd(cursor.peek())) throw scannerError("found unexpected non-alphabetical character", cursor.mark);
  if (name !== "YAML" && name !== "TAG") throw scannerError("found unknown directive name", cursor.mark);
  cursor.skipWhile(isBlank);
  const directive = name === "YAML" ? scanVersion(cursor) : scanTagDirective(cursor);
  cursor.skipWhile(isBlank);
  cursor.skipComment();
  if (!isSpaceOrEnd(cursor.peek())) throw scannerError("did not find expected comment or line break", cursor.mark);
  if (cursor.peek() !== "") cursor.readBreak();
  return directive;
}

function scanVersion(cursor: Cursor): Directive {
  const major = scanVersionNumber(cursor);
  if (cursor.peek() !== ".") throw scannerError("did not find expected digit or '.' character", cursor.mark);
  cursor.skip();
  return { kind: "yaml", version: `${major}.${scanVersionNumber(cursor)}` };
}

function scanVersionNumber(cursor: Cursor): number {
  let digits = "";
  while (/^[0-9]$/.test(cursor.peek())) {
    if (digits.length === 2) throw scannerError("found extremely long version number", cursor.mark);
    digits += cursor.read();
  }
  if (digits === "") throw scannerError("did not find expected version number", cursor.mark);
  return Number(digits);
}

function scanTagDirective(cursor: Cursor): Directive {
  const handle = scanHandle(cursor, true);
  if (!isBlank(cursor.peek())) throw scannerError("did not find expected whitespace", cursor.mark);
  cursor.skipWhile(isBlank);
  const prefix = scanUri(cursor, "");
  if (!isSpaceOrEnd(cursor.peek())) throw scannerError("did not find expected whitespace or line break", cursor.mark);
  return { kind: "tag", handle, prefix };
}
