/** What a certificate request (PKCS #10, RFC 2986) says of its subject. */
export interface CertificateRequest {
  readonly organizations: readonly string[];
  /** The last one; "" where there is none. */
  readonly commonName: string;
  /** How many subject alternative names there are: DNS names and IP addresses, and email addresses and URIs. */
  readonly alternativeNames: { readonly hosts: number; readonly others: number };
}

/** The first block of a PEM text; undefined when that is no certificate request, or one that cannot be read. */
export function parseCertificateRequest(pem: string): CertificateRequest | undefined {
  const [, label, base64 = ""] = BLOCK.exec(pem) ?? [];
  if (label !== "CERTIFICATE REQUEST") return undefined;
  try {
    return requestIn(Buffer.from(base64, "base64"));
  } catch (error) {
    if (error instanceof DerError) return undefined;
    throw error;
  }
}

const BLOCK = /-----BEGIN ([^\r\n-]*)-----\r?\n([A-Za-z0-9+/=\s]*)-----END \1-----/;

/** Not DER, or not what a certificate request holds there. */
class DerError extends Error {}

/** An element of DER (X.690): tag and contents. */
interface Element {
  readonly tag: number;
  readonly contents: Buffer;
}

const SEQUENCE = 0x30;
/** Context-specific: the request's attributes. */
const ATTRIBUTES = 0xa0;
const OCTET_STRING = 0x04;

/** Object identifiers as DER holds them: 2.5.4.3, 2.5.4.10, 2.5.29.17 and PKCS #9's extension request. */
const COMMON_NAME = "550403";
const ORGANIZATION = "55040a";
const SUBJECT_ALTERNATIVE_NAME = "551d11";
const EXTENSION_REQUEST = "2a864886f70d01090e";

/** Alternative names' tags in GeneralName. */
const HOSTS: ReadonlySet<number> = new Set([0x82, 0x87]);
const OTHERS: ReadonlySet<number> = new Set([0x81, 0x86]);

function requestIn(der: Buffer): CertificateRequest {
  const [whole] = elements(der);
  const [information] = elements(sequence(whole));
  // Version, subject, public key, attributes.
  const [, subject, , attributes] = elements(sequence(information));
  const names = elements(sequence(subject)).flatMap(({ contents }) => elements(contents).map(typeAndValue));
  const valuesOf = (type: string) => names.filter((name) => name.type === type).map(({ value }) => textOf(value));
  const alternatives = attributes?.tag === ATTRIBUTES ? alternativeTags(attributes.contents) : [];
  return {
    organizations: valuesOf(ORGANIZATION),
    commonName: valuesOf(COMMON_NAME).at(-1) ?? "",
    alternativeNames: {
      hosts: alternatives.filter((tag) => HOSTS.has(tag)).length,
      others: alternatives.filter((tag) => OTHERS.has(tag)).length,
    },
  };
}

function alternativeTags(attributes: Buffer): number[] {
  return elements(attributes)
    .map(typeAndValue)
    .filter(({ type }) => type === EXTENSION_REQUEST)
    .flatMap(({ value }) => elements(value?.contents ?? Buffer.alloc(0)))
    .flatMap((extensions) => elements(sequence(extensions)))
    .map((extension) => elements(sequence(extension)))
    .filter(([type]) => type?.contents.toString("hex") === SUBJECT_ALTERNATIVE_NAME)
    .flatMap((parts) => elements(parts.find(({ tag }) => tag === OCTET_STRING)?.contents ?? Buffer.alloc(0)))
    .flatMap((names) => elements(sequence(names)).map(({ tag }) => tag));
}

/** A sequence of an object identifier (in hex) and a value: the parts of names and attributes. */
function typeAndValue(element: Element): { type: string; value: Element | undefined } {
  const [type, value] = elements(sequence(element));
  return { type: type?.contents.toString("hex") ?? "", value };
}

function sequence(element: Element | undefined): Buffer {
  if (element?.tag !== SEQUENCE) throw new DerError("no sequence");
  return element.contents;
}

const BMP_STRING = 0x1e;

function textOf(value: Element | undefined): string {
  if (value === undefined) return "";
  return value.tag === BMP_STRING
    ? Buffer.from(value.contents).swap16().toString("utf16le")
    : value.contents.toString("utf8");
}

function elements(der: Buffer): Element[] {
  const found: Element[] = [];
  for (let at = 0; at < der.length; ) {
    const { start, end } = extent(der, at);
    found.push({ tag: der[at] ?? 0, contents: der.subarray(start, end) });
    at = end;
  }
  return found;
}

/** Where the contents of the element at `at` begin and end. */
function extent(der: Buffer, at: number): { start: number; end: number } {
  const first = der[at + 1] ?? 0x80;
  const bytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + bytes;
  // No request is as long as four bytes can say.
  if (first === 0x80 || bytes > 4 || start > der.length) throw new DerError("no length");
  const length = bytes === 0 ? first : der.readUIntBE(at + 2, bytes);
  if (start + length > der.length) throw new DerError("cut short");
  return { start, end: start + length };
}
