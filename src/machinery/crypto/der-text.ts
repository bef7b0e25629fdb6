import { type DerElement, DerError } from "./der.js";

const TAGS = { utf8: 0x0c, numeric: 0x12, printable: 0x13, t61: 0x14, ia5: 0x16, bmp: 0x1e } as const;

const NOT_PRINTABLE = /[^A-Za-z0-9 '()+,\-./:=?*&]/;
const NOT_NUMERIC = /[^0-9 ]/;
const NOT_ASCII = /[^\0-\x7f]/;

/** The text of one of ASN.1's string types; undefined for a value that is none. Throws a {@link DerError} for bytes that its type does not have. */
export function derText(element: DerElement | undefined): string | undefined {
  if (element === undefined) return undefined;
  const { tag, content } = element;
  const latin = () => Buffer.from(content).toString("latin1");
  switch (tag) {
    case TAGS.utf8:
      return utf8(content);
    case TAGS.printable:
      return checked(latin(), NOT_PRINTABLE, "PrintableString");
    case TAGS.numeric:
      return checked(latin(), NOT_NUMERIC, "NumericString");
    case TAGS.ia5:
      return checked(latin(), NOT_ASCII, "IA5String");
    case TAGS.t61:
      return latin();
    case TAGS.bmp:
      return bmp(content);
    default:
      return undefined;
  }
}

function checked(text: string, wrong: RegExp, type: string): string {
  if (wrong.test(text)) throw new DerError(`asn1: syntax error: ${type} contains invalid character`);
  return text;
}

function utf8(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    throw new DerError("asn1: invalid UTF-8 string");
  }
}

/** Two bytes for each character, and perhaps a zero at the end; no surrogates, nor what Unicode never makes a character. */
function bmp(content: Uint8Array): string {
  const even = content.length % 2 === 0;
  const shown = even ? Buffer.from(content).swap16().toString("utf16le").replace(/\0$/, "") : "";
  if (!even || NOT_BMP.test(shown)) throw new DerError("invalid BMPString");
  return shown;
}

const NOT_BMP = /[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/;
