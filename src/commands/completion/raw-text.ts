/** How a file's bytes are read as text and written again without a change to any of them. */
export interface RawText {
  decode(bytes: Buffer): string;
  encode(text: string): Buffer;
  /** Text of ours in the form of decoded text, and the way back. */
  fromUnicode(text: string): string;
  toUnicode(text: string): string;
}

/** A character for each byte, whatever they mean: a start-up file may be in any encoding that has ASCII in it. */
const bytes: RawText = {
  decode: (content) => content.toString("latin1"),
  encode: (text) => Buffer.from(text, "latin1"),
  fromUnicode: (text) => Buffer.from(text, "utf8").toString("latin1"),
  toUnicode: (text) => Buffer.from(text, "latin1").toString("utf8"),
};

const utf16: RawText = {
  decode: (content) => content.toString("utf16le"),
  encode: (text) => Buffer.from(text, "utf16le"),
  fromUnicode: (text) => text,
  toUnicode: (text) => text,
};

/** By the byte order mark: Windows PowerShell writes profiles in UTF-16. @throws for a file that cannot be given back as it was */
export function rawTextOf(content: Buffer): RawText {
  const isBigEndian = content[0] === 0xfe && content[1] === 0xff;
  const form = content[0] === 0xff && content[1] === 0xfe ? utf16 : bytes;
  if (isBigEndian || (form === utf16 && content.length % 2 === 1)) throw new Error("its encoding is not known");
  return form;
}
