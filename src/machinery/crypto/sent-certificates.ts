import type { X509Certificate } from "node:crypto";
import { bitString, objectIdentifier, sequence, time } from "./der.js";
import { distinguishedName } from "./new-certificate-request.js";
import { pemText } from "./pem.js";

/** More than a chain can have: Go gives up after as many signatures. */
const MOST = 100;

/**
 * The certificates that a peer sent, in DER and as it sent them, its own first. `shown` is a TLSSocket's `getPeerX509Certificate()`: OpenSSL
 * gives the others only to the first call for a connection, and none for a session that is resumed.
 */
export function sentCertificates(shown: X509Certificate | undefined): readonly Uint8Array[] {
  const sent: Uint8Array[] = [];
  for (let at = shown; at !== undefined && sent.length < MOST; at = at.issuerCertificate) sent.push(at.raw);
  return sent;
}

const ECDSA_WITH_SHA256 = sequence(objectIdentifier("1.2.840.10045.4.3.2"));

/**
 * The option `crl` of a server that requests client certificates: a revocation list of no CA and without a signature. With it
 * OpenSSL rejects every client certificate, which is ignored, because {@link sentCertificates} are verified elsewhere. If OpenSSL
 * accepts one, Node 24 itself makes the first call of getPeerX509Certificate, and the other certificates are lost.
 */
export const EVERY_CLIENT_FAILS = pemText(
  "X509 CRL",
  sequence(
    sequence(ECDSA_WITH_SHA256, distinguishedName("none", []), time(0)),
    ECDSA_WITH_SHA256,
    bitString(new Uint8Array()),
  ),
);
