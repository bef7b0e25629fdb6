import { type AlternativeNames, NO_NAMES, readAlternativeNames } from "./certificate-names.js";
import {
  derElement,
  type DerElement,
  derElements,
  DerError,
  derObjectIdentifier,
  notSequence,
  derText,
} from "./der.js";
import { findPemBlock } from "./pem.js";

/** The parts of a subject that have a name here. */
export type SubjectPart =
  | "commonName"
  | "serialNumber"
  | "country"
  | "locality"
  | "province"
  | "streetAddress"
  | "organization"
  | "organizationalUnit"
  | "postalCode";

/** The content of a certificate request (PKCS #10, RFC 2986). */
export interface CertificateRequest {
  /** The values of a part in the order they come; a part that is not there has none. */
  readonly subject: Readonly<Partial<Record<SubjectPart, readonly string[]>>>;
  readonly alternativeNames: AlternativeNames;
}

/** Parses the first block of a PEM text. Throws a {@link DerError}, in Go's words, when it is not a certificate request. */
export function parseCertificateRequest(pem: string): CertificateRequest {
  const block = findPemBlock(pem);
  if (block?.type !== "CERTIFICATE REQUEST") throw new DerError("PEM block type must be CERTIFICATE REQUEST");
  return readCertificateRequest(block.bytes);
}

/** As {@link parseCertificateRequest}, for a request in DER. */
export function readCertificateRequest(der: Uint8Array): CertificateRequest {
  const whole = derElement(der);
  if (whole.whole.length < der.length) throw new DerError("asn1: syntax error: trailing data");
  const [information] = items(whole);
  const [, subject, , attributes] = items(information);
  return { subject: subjectOf(subject), alternativeNames: alternativeNamesOf(items(attributes, ATTRIBUTES)) };
}

const TRUNCATED = "asn1: syntax error: sequence truncated";

const SEQUENCE = 0x30;
const SET = 0x31;
const BOOLEAN = 0x01;
/** Context-specific: the request's attributes. */
const ATTRIBUTES = 0xa0;

const EXTENSION_REQUEST = "1.2.840.113549.1.9.14";
const SUBJECT_ALTERNATIVE_NAME = "2.5.29.17";

/** The object identifiers of the parts (RFC 5280, 4.1.2.4). */
export const SUBJECT_PART_TYPES: Readonly<Record<SubjectPart, string>> = {
  commonName: "2.5.4.3",
  serialNumber: "2.5.4.5",
  country: "2.5.4.6",
  locality: "2.5.4.7",
  province: "2.5.4.8",
  streetAddress: "2.5.4.9",
  organization: "2.5.4.10",
  organizationalUnit: "2.5.4.11",
  postalCode: "2.5.4.17",
};
const PARTS_BY_TYPE = new Map(
  Object.entries(SUBJECT_PART_TYPES).map(([part, type]) => [type, part as SubjectPart] as const),
);

function subjectOf(name: DerElement | undefined): CertificateRequest["subject"] {
  const subject: Partial<Record<SubjectPart, string[]>> = {};
  for (const attribute of items(name).flatMap((set) => items(set, SET))) {
    const [type, value] = items(attribute);
    if (value === undefined) throw new DerError(TRUNCATED);
    const shown = derText(value);
    const part = PARTS_BY_TYPE.get(identifierOf(type));
    if (part !== undefined && shown !== undefined) (subject[part] ??= []).push(shown);
  }
  return subject;
}

function alternativeNamesOf(attributes: readonly DerElement[]): AlternativeNames {
  const seen = new Set<string>();
  let names: AlternativeNames = NO_NAMES;
  for (const [type, ...rest] of attributes.flatMap(extensionsOf).map((extension) => items(extension))) {
    const id = identifierOf(type);
    if (seen.has(id)) throw new DerError("x509: certificate request contains duplicate requested extensions");
    seen.add(id);
    if (id === SUBJECT_ALTERNATIVE_NAME) names = readAlternativeNames(valueOf(rest));
  }
  return names;
}

/** The extensions that an attribute asks for: it holds a set of lists, and the first counts. What is no attribute asks for none. */
function extensionsOf({ tag, content }: DerElement): DerElement[] {
  const [type, values] = tag === SEQUENCE ? derElements(content) : [];
  if (values?.tag !== SET || identifierOf(type) !== EXTENSION_REQUEST) return [];
  const [extensions] = derElements(values.content);
  if (extensions === undefined) return [];
  if (extensions.tag !== SEQUENCE) throw notSequence(extensions, "");
  return derElements(extensions.content);
}

/** An extension may say that it is critical before it says what it holds. */
function valueOf([first, second]: readonly DerElement[]): Uint8Array {
  return (first?.tag === BOOLEAN ? second : first)?.content ?? new Uint8Array();
}

const identifierOf = (element: DerElement | undefined): string =>
  derObjectIdentifier(element?.content ?? new Uint8Array());

/** What is in an element that must be a sequence or a set. */
function items(element: DerElement | undefined, tag = SEQUENCE): DerElement[] {
  if (element === undefined) throw new DerError(TRUNCATED);
  if (element.tag !== tag) throw new DerError("asn1: structure error: sequence tag mismatch");
  return derElements(element.content);
}
