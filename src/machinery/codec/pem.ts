export interface PemBlock {
  /** What stands in its first line: "CERTIFICATE REQUEST". */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** The first block of PEM (RFC 7468), wherever it begins a line; undefined for a text without one. */
export function firstPemBlock(text: string): PemBlock | undefined {
  const [, type, base64 = ""] = FIRST_BLOCK.exec(text) ?? [];
  return type === undefined ? undefined : { type, bytes: Buffer.from(base64, "base64") };
}

/** The whole blocks of a text in order, each with its own lines. */
export function pemBlocks(text: string): readonly { readonly type: string; readonly text: string }[] {
  return [...text.matchAll(BLOCKS)].map(([block, type = ""]) => ({ type, text: block }));
}

/** A block of PEM without headers: base64 in lines of 64 characters. */
export function pemText(type: string, bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString("base64");
  return `-----BEGIN ${type}-----\n${base64.replace(/.{1,64}/g, "$&\n")}-----END ${type}-----\n`;
}

/** Lines with a colon before the base64 are headers, which old writers put there. */
const FIRST_BLOCK =
  /(?:^|\n)-----BEGIN ([^-\n]+)-----\r?\n(?:(?!-----)[^\n:]+:[^\n]*\n)*([A-Za-z0-9+/=\s]*)-----END \1-----/;

const BLOCKS = /^-----BEGIN ([^-\n]+)-----[\s\S]*?^-----END \1-----/gm;
