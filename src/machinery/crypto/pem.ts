/** A block of PEM. */
export interface PemBlock {
  /** What stands in its first line: "CERTIFICATE REQUEST". */
  readonly type: string;
  readonly bytes: Uint8Array;
  /** Whether lines with a colon ("Proc-Type: 4,ENCRYPTED") stand before the base64. */
  readonly hasHeaders: boolean;
}

/** A block, and the index of the text after it. */
export interface FoundPemBlock extends PemBlock {
  readonly end: number;
}

const BEGIN = "-----BEGIN ";
const END = "\n-----END ";
const DASHES = "-----";
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Finds the first block from `at` on; undefined where there is none. Like Go's encoding/pem it skips invalid blocks: one whose
 * last line is missing or of another type, whose base64 is invalid, or that is indented or on a single line. Takes time in
 * proportion to the text's length.
 */
export function findPemBlock(text: string, at = 0): FoundPemBlock | undefined {
  for (let from = at; ; ) {
    const last = text.indexOf(END, from);
    if (last === -1) return undefined;
    const afterEnd = last + END.length;
    // First lines without a last one of their own may stand before it: the one that is next to it begins the block.
    const first = text.slice(from, last).lastIndexOf(BEGIN) + from;
    const begins = first >= from && (first === from || text[first - 1] === "\n");
    const block = begins ? blockBetween(text, first + BEGIN.length, last) : undefined;
    if (block !== undefined) return block;
    from = afterEnd;
  }
}

/** Iterates over the blocks of a text, in order. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  for (let block = findPemBlock(text); block !== undefined; block = findPemBlock(text, block.end)) yield block;
}

/** `begin` is behind "-----BEGIN ", `last` at the line break before "-----END ". */
function blockBetween(text: string, begin: number, last: number): FoundPemBlock | undefined {
  const firstLine = lineAt(text, begin);
  if (!firstLine.text.endsWith(DASHES)) return undefined;
  const type = firstLine.text.slice(0, -DASHES.length);
  let body = firstLine.next;
  let hasHeaders = false;
  for (let line = lineAt(text, body); body <= last && line.text.includes(":"); line = lineAt(text, body)) {
    body = line.next;
    hasHeaders = true;
  }
  if (hasHeaders && body > last) return undefined;
  const lastLine = lineAt(text, last + END.length);
  if (lastLine.text !== type + DASHES) return undefined;
  const base64 = text.slice(body, Math.max(body, last)).replaceAll(/[ \t\r\n]/g, "");
  if (!BASE64.test(base64)) return undefined;
  return { type, bytes: Buffer.from(base64, "base64"), hasHeaders, end: lastLine.next };
}

/** The line from `at` on, without spaces, tabs and a carriage return at its end. */
function lineAt(text: string, at: number): { readonly text: string; readonly next: number } {
  const found = text.indexOf("\n", at);
  let end = found === -1 ? text.length : found;
  const next = found === -1 ? end : end + 1;
  while (end > at && " \t\r".includes(text.charAt(end - 1))) end--;
  return { text: text.slice(at, end), next };
}

/** Encodes a block of PEM without headers: base64 in lines of 64 characters. */
export function pemText(type: string, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString("base64");
  return `-----BEGIN ${type}-----\n${base64.replace(/.{1,64}/g, "$&\n")}-----END ${type}-----\n`;
}

const FIRST_LINE = "-----BEGIN CERTIFICATE-----";
const LAST_LINE = "-----END CERTIFICATE-----";

/**
 * Cuts a PEM text into its certificates, each from its first line to its last, without parsing them. Takes time in proportion to
 * the text's length: a regular expression would look for the end once for each begin.
 */
export function certificateBlocks(text: string): string[] {
  const blocks: string[] = [];
  for (let at = 0; ; ) {
    const begin = text.indexOf(FIRST_LINE, at);
    const end = begin === -1 ? -1 : text.indexOf(LAST_LINE, begin + FIRST_LINE.length);
    if (end === -1) return blocks;
    at = end + LAST_LINE.length;
    blocks.push(text.slice(begin, at));
  }
}
