import {
  type CertificateRequest,
  parseCertificateRequest,
  SUBJECT_PART_TYPES,
  type SubjectPart,
} from "../../machinery/crypto/certificate-request.js";
import {
  derElements,
  objectIdentifier,
  printableString,
  sequence,
  set,
  utf8String,
} from "../../machinery/crypto/der.js";
import { findPemBlock } from "../../machinery/crypto/pem.js";
import { type Issuer, type SignedSubject, signCertificate } from "../../machinery/crypto/issue-certificate.js";

/** The fields of a certificate that the signer chooses. */
export interface SigningTerms {
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly serial: Uint8Array;
}

/** Signs a client certificate, as PEM, for a PKCS #10 request in PEM: with its subject and its key. Throws for an invalid request. */
export function signClientRequest(request: string, terms: SigningTerms, issuer: Issuer): string {
  return signCertificate({ ...terms, ...subjectOf(request), usage: "client" }, issuer);
}

/**
 * The signer writes the subject anew, of what the admission plugins and the approver have read. A request may hold more (strings of a
 * type that Go's reader does not have, attributes without a part here), which OpenSSL would read in the certificate.
 */
function subjectOf(request: string): SignedSubject {
  const { subject } = parseCertificateRequest(request);
  const [signed] = derElements(findPemBlock(request)?.bytes ?? Buffer.alloc(0));
  const [info] = derElements(signed?.content ?? Buffer.alloc(0));
  const [version, , publicKey] = derElements(info?.content ?? Buffer.alloc(0));
  if (version?.tag !== 0x02 || publicKey?.tag !== 0x30) throw new Error("not a certificate request");
  return { subject: nameOf(subject), publicKey: publicKey.whole };
}

/** In Go's order. */
const LISTS: readonly SubjectPart[] = [
  "country",
  "organization",
  "organizationalUnit",
  "locality",
  "province",
  "streetAddress",
  "postalCode",
];
/** Behind the lists; the last value of each counts. */
const SINGLES: readonly SubjectPart[] = ["commonName", "serialNumber"];

function nameOf(subject: CertificateRequest["subject"]): Buffer {
  const lists = LISTS.map((part) => [SUBJECT_PART_TYPES[part], subject[part] ?? []] as const);
  const singles = SINGLES.map((part) => [SUBJECT_PART_TYPES[part], (subject[part] ?? []).slice(-1)] as const);
  const sets = [...lists, ...singles].filter(([, values]) => values.length > 0);
  return sequence(
    ...sets.map(([type, values]) => {
      const attributes = values.map((value) => sequence(objectIdentifier(type), nameText(value)));
      // DER has the members of a set in the order of their bytes.
      return set(...attributes.toSorted((one, other) => Buffer.compare(one, other)));
    }),
  );
}

const PRINTABLE = /^[A-Za-z0-9 '()+,\-./:=?]*$/;
const nameText = (text: string): Buffer => (PRINTABLE.test(text) ? printableString(text) : utf8String(text));
