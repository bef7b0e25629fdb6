import { type Issuer, type SignedSubject, signCertificate } from "./certificate.js";
import { readDer } from "./der.js";

/** What a certificate is made of besides the request itself. */
export interface SigningTerms {
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  readonly serial: Uint8Array;
}

/** A certificate for a client, as PEM, of a PKCS #10 request in PEM: its subject and its key. Throws for what is no request. */
export function signClientRequest(request: string, terms: SigningTerms, issuer: Issuer): string {
  return signCertificate({ ...terms, ...subjectOf(request), usage: "client" }, issuer);
}

function subjectOf(request: string): SignedSubject {
  const body = /-----BEGIN CERTIFICATE REQUEST-----([^-]*)-----END CERTIFICATE REQUEST-----/.exec(request)?.[1];
  if (body === undefined) throw new Error("PEM block type must be CERTIFICATE REQUEST");
  const [signed] = readDer(Buffer.from(body, "base64"));
  const [info] = readDer(signed?.content ?? Buffer.alloc(0));
  const [version, subject, publicKey] = readDer(info?.content ?? Buffer.alloc(0));
  if (version?.tag !== 0x02 || subject?.tag !== 0x30 || publicKey?.tag !== 0x30) {
    throw new Error("not a certificate request");
  }
  return { subject: subject.whole, publicKey: publicKey.whole };
}
