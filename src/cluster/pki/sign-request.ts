import { derElements } from "../../machinery/codec/der.js";
import { firstPemBlock } from "../../machinery/codec/pem.js";
import { type Issuer, type SignedSubject, signCertificate } from "./certificate.js";

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
  const block = firstPemBlock(request);
  if (block?.type !== "CERTIFICATE REQUEST") throw new Error("PEM block type must be CERTIFICATE REQUEST");
  const [signed] = derElements(block.bytes);
  const [info] = derElements(signed?.content ?? Buffer.alloc(0));
  const [version, subject, publicKey] = derElements(info?.content ?? Buffer.alloc(0));
  if (version?.tag !== 0x02 || subject?.tag !== 0x30 || publicKey?.tag !== 0x30) {
    throw new Error("not a certificate request");
  }
  return { subject: subject.whole, publicKey: publicKey.whole };
}
