import { dictionary } from "../../../base/collections/dictionary.js";
import {
  type AlternativeNames,
  readAlternativeNames,
  nameAttributes,
  type NameAttribute,
} from "../certificate-names.js";
import { derElement, type DerElement, derElements, DerError, derObjectIdentifier } from "../der.js";
import { type NameConstraints, readNameConstraints } from "./name-constraints.js";

/** An X.509 certificate, as Go's crypto/x509 reads one. */
export interface Certificate {
  readonly raw: Uint8Array;
  /** What the issuer signed. */
  readonly body: Uint8Array;
  /** How the issuer signed: an object identifier, and its parameters in DER. */
  readonly algorithm: { readonly id: string; readonly parameters: Uint8Array | undefined };
  readonly signature: Uint8Array;
  readonly version: number;
  readonly serial: bigint;
  /** In DER, as a string of bytes. */
  readonly issuer: string;
  readonly subject: string;
  readonly subjectAttributes: readonly NameAttribute[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** SubjectPublicKeyInfo, in DER. */
  readonly publicKey: Uint8Array;
  readonly extensions: Extensions;
}

/** The extensions that matter when chains are built. */
export interface Extensions {
  /** Absent where the certificate has none. */
  readonly basicConstraints?: { readonly isAuthority: boolean; readonly longestPath: number | undefined };
  /** Bits as in RFC 5280, the first the lowest; 0 where there are none. */
  readonly keyUsage: number;
  /** Object identifiers. */
  readonly extendedKeyUsages: readonly string[];
  readonly alternativeNames?: AlternativeNames;
  /** The same in DER, as a string of bytes. */
  readonly alternativeNamesValue?: string;
  readonly nameConstraints?: NameConstraints;
  /** As a string of bytes; "" where there is none. */
  readonly subjectKeyId: string;
  readonly authorityKeyId: string;
  readonly policies: Policies;
  /** Whether it has a critical extension that nothing here knows. */
  readonly hasUnknownCritical: boolean;
}

/** The certificate policies. Absent numbers stand for no limit. */
export interface Policies {
  readonly ids: readonly string[];
  /** From an issuer's policy to a subject's. */
  readonly mappings: readonly (readonly [from: string, to: string])[];
  readonly requireExplicit?: number | undefined;
  readonly inhibitMapping?: number | undefined;
  readonly inhibitAny?: number | undefined;
}

const BOOLEAN = 0x01;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const IDENTIFIER = 0x06;
const SEQUENCE = 0x30;
const context = (number: number, constructed = true): number => (constructed ? 0xa0 : 0x80) | number;

/** Parses a certificate in DER. Throws an Error in the words of Go's x509 for what Go rejects. */
export function readX509(raw: Uint8Array): Certificate {
  try {
    return certificateOf(raw);
  } catch (error) {
    if (!(error instanceof DerError)) throw error;
    const { message } = error;
    throw new Error(message.startsWith("x509: ") ? message : `x509: ${message}`, { cause: error });
  }
}

/** The subject of a certificate in DER; the rest is not parsed. Undefined for an invalid certificate. */
export function subjectOf(raw: Uint8Array): string | undefined {
  try {
    const [body] = inside(derElement(raw), "certificate");
    const fields = inside(body, "tbs certificate");
    return bytesText(fields[fields[0]?.tag === context(0) ? 5 : 4]?.whole);
  } catch {
    return undefined;
  }
}

/** Converts bytes to a string that can be compared and be a key. */
export function bytesText(bytes: Uint8Array = new Uint8Array()): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
}

function certificateOf(raw: Uint8Array): Certificate {
  const whole = derElement(raw);
  const [body, outer, bits] = inside(whole, "certificate");
  if (whole.whole.length < raw.length) throw new DerError("x509: trailing data");
  const fields = inside(body, "tbs certificate");
  const version = fields[0]?.tag === context(0) ? versionOf(fields.shift()) : 1;
  const [serial, inner, issuer, validity, subject, publicKey, ...rest] = fields;
  if (serial?.tag !== INTEGER || serial.content.length === 0) throw malformed("serial number");
  const number = signedInteger(serial.content);
  if (number < 0n) throw new DerError("x509: negative serial number");
  const [id, parameters] = inside(inner, "signature algorithm identifier");
  if (outer === undefined || inner === undefined || bytesText(outer.whole) !== bytesText(inner.whole)) {
    throw new DerError("x509: inner and outer signature algorithm identifiers don't match");
  }
  nameAttributes(issuer);
  const [notBefore, notAfter] = inside(validity, "validity").map(timeOf);
  if (notBefore === undefined || notAfter === undefined) throw malformed("validity");
  if (publicKey?.tag !== SEQUENCE) throw malformed("spki");
  if (bits?.tag !== BIT_STRING) throw malformed("signature");
  const extensions = version === 3 ? rest.find(({ tag }) => tag === context(3)) : undefined;
  return {
    raw,
    body: body?.whole ?? raw,
    algorithm: { id: identifierOf(id), parameters: parameters?.whole },
    signature: bits.content.subarray(1),
    version,
    serial: number,
    issuer: bytesText(issuer?.whole),
    subject: bytesText(subject?.whole),
    subjectAttributes: nameAttributes(subject),
    notBefore,
    notAfter,
    publicKey: publicKey.whole,
    extensions: extensionsOf(extensions),
  };
}

function versionOf(element: DerElement | undefined): number {
  const [value] = derElements(element?.content ?? new Uint8Array());
  if (value?.tag !== INTEGER) throw malformed("version");
  const version = Number(signedInteger(value.content)) + 1;
  if (version < 1 || version > 3) throw new DerError("x509: invalid version");
  return version;
}

type Found = { -readonly [Name in keyof Extensions]: Extensions[Name] };

function extensionsOf(list: DerElement | undefined): Extensions {
  const found: Found = {
    keyUsage: 0,
    extendedKeyUsages: [],
    subjectKeyId: "",
    authorityKeyId: "",
    policies: { ids: [], mappings: [] },
    hasUnknownCritical: false,
  };
  if (list === undefined) return found;
  const [all] = derElements(list.content);
  const seen = new Set<string>();
  for (const extension of inside(all, "extensions")) {
    const [first, ...rest] = inside(extension, "extension");
    const id = identifierOf(first);
    if (seen.has(id))
      throw new DerError(`x509: certificate contains duplicate extension with OID ${JSON.stringify(id)}`);
    seen.add(id);
    const isCritical = rest[0]?.tag === BOOLEAN && rest[0].content[0] !== 0;
    const value = rest.at(-1);
    if (value?.tag !== OCTET_STRING) throw malformed("extension value field");
    const read = READERS[id];
    const isKnown = read?.(found, value.content, isCritical) ?? false;
    if (isCritical && !isKnown) found.hasUnknownCritical = true;
  }
  return found;
}

/** Reads an extension's value. Says whether it understood it all. */
type Reader = (found: Found, value: Uint8Array, isCritical: boolean) => boolean;

const READERS: Readonly<Record<string, Reader | undefined>> = dictionary<string, Reader>({
  "2.5.29.14": (found, value, isCritical) => {
    if (isCritical) throw new DerError("x509: subject key identifier incorrectly marked critical");
    const id = derElement(value);
    if (id.tag !== OCTET_STRING) throw new DerError("x509: invalid subject key identifier");
    found.subjectKeyId = bytesText(id.content);
    return true;
  },
  "2.5.29.15": (found, value) => {
    const { tag, content } = derElement(value);
    if (tag !== BIT_STRING) throw new DerError("x509: invalid key usage");
    for (let bit = 0; bit < 9; bit += 1) {
      const byte = content[1 + (bit >> 3)] ?? 0;
      if ((byte & (0x80 >> (bit & 7))) !== 0) found.keyUsage |= 1 << bit;
    }
    return true;
  },
  "2.5.29.17": (found, value) => {
    const names = readAlternativeNames(value);
    found.alternativeNames = names;
    found.alternativeNamesValue = bytesText(value);
    return names.dns.length + names.emails.length + names.uris.length + names.ips.length > 0;
  },
  "2.5.29.19": (found, value) => {
    const parts = inside(derElement(value), "basic constraints", "invalid");
    const isAuthority = parts[0]?.tag === BOOLEAN && parts[0].content[0] !== 0;
    const length = parts.find(({ tag }) => tag === INTEGER);
    const longestPath = length && Number(signedInteger(length.content));
    found.basicConstraints = {
      isAuthority,
      longestPath: longestPath === undefined || longestPath < 0 ? undefined : longestPath,
    };
    return true;
  },
  "2.5.29.30": (found, value) => {
    const { constraints, isWhole } = readNameConstraints(value);
    found.nameConstraints = constraints;
    return isWhole;
  },
  "2.5.29.31": () => true,
  "2.5.29.32": (found, value) => {
    const ids = inside(derElement(value), "certificate policies", "invalid").map((policy) =>
      identifierOf(inside(policy, "certificate policies", "invalid")[0]),
    );
    found.policies = { ...found.policies, ids };
    return true;
  },
  "2.5.29.33": (found, value) => {
    const mappings = inside(derElement(value), "policy mappings extension", "invalid").map((pair) => {
      const [from, to] = inside(pair, "policy mappings extension", "invalid");
      return [identifierOf(from), identifierOf(to)] as const;
    });
    found.policies = { ...found.policies, mappings };
    return true;
  },
  "2.5.29.35": (found, value, isCritical) => {
    if (isCritical) throw new DerError("x509: authority key identifier incorrectly marked critical");
    const parts = inside(derElement(value), "authority key identifier", "invalid");
    found.authorityKeyId = bytesText(parts.find(({ tag }) => tag === context(0, false))?.content);
    return true;
  },
  "2.5.29.36": (found, value) => {
    const parts = inside(derElement(value), "policy constraints extension", "invalid");
    const numberOf = (number: number): number | undefined => {
      const part = parts.find(({ tag }) => tag === context(number, false));
      return part && Number(signedInteger(part.content));
    };
    found.policies = { ...found.policies, requireExplicit: numberOf(0), inhibitMapping: numberOf(1) };
    return true;
  },
  "2.5.29.37": (found, value) => {
    found.extendedKeyUsages = inside(derElement(value), "extended key usages", "invalid").map(identifierOf);
    return true;
  },
  "2.5.29.54": (found, value) => {
    const { tag, content } = derElement(value);
    if (tag !== INTEGER) throw new DerError("x509: invalid inhibit any policy extension");
    found.policies = { ...found.policies, inhibitAny: Number(signedInteger(content)) };
    return true;
  },
  "1.3.6.1.5.5.7.1.1": (_, __, isCritical) => {
    if (isCritical) throw new DerError("x509: authority info access incorrectly marked critical");
    return true;
  },
});

const malformed = (what: string, how = "malformed"): DerError => new DerError(`x509: ${how} ${what}`);

/** What is in a sequence. */
function inside(element: DerElement | undefined, what: string, how = "malformed"): DerElement[] {
  if (element?.tag !== SEQUENCE) throw malformed(what, how);
  return derElements(element.content);
}

function identifierOf(element: DerElement | undefined): string {
  if (element?.tag !== IDENTIFIER) throw malformed("object identifier", "invalid");
  return derObjectIdentifier(element.content);
}

function signedInteger(content: Uint8Array): bigint {
  const unsigned = BigInt(`0x${Buffer.from(content).toString("hex") || "0"}`);
  return (content[0] ?? 0) >= 0x80 ? unsigned - (1n << BigInt(8 * content.length)) : unsigned;
}

const TIMES: Readonly<Record<number, RegExp | undefined>> = {
  0x17: /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/,
  0x18: /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)Z$/,
};

function timeOf({ tag, content }: DerElement): number {
  const [, year, month, day, hour, minute, second] = TIMES[tag]?.exec(bytesText(content))?.map(Number) ?? [];
  if (year === undefined || month === undefined) throw malformed("validity");
  const whole = tag === 0x18 ? year : year < 50 ? 2000 + year : 1900 + year;
  const time = new Date(0);
  time.setUTCFullYear(whole, month - 1, day);
  return time.setUTCHours(hour ?? 0, minute, second);
}
