import { createHash, createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { distinguishedName } from "./new-certificate-request.js";
import {
  derElements,
  bitString,
  boolean,
  explicit,
  implicit,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  time,
} from "./der.js";
import { pemText } from "./pem.js";
import { type KeyMaker, openSslKeys } from "./key-maker.js";

/** A certificate and its key, both as PEM. */
export interface KeyPair {
  readonly certificate: string;
  /** In SEC1, "BEGIN EC PRIVATE KEY": what Go's tools write, and the only form of an EC key that some clients read. */
  readonly key: string;
}

export interface CertificateRequest {
  readonly commonName: string;
  readonly organizations?: readonly string[];
  /** Milliseconds since the epoch. */
  readonly notBefore: number;
  readonly notAfter: number;
  /** At most 20 bytes, unique for the issuer. */
  readonly serial: Uint8Array;
  /** A peer serves and is a client too. */
  readonly usage: "ca" | "server" | "client" | "peer";
  /** DNS names and IP addresses a server answers for. */
  readonly names?: readonly string[];
}

/** The signer: a CA's subject and key. */
export interface Issuer {
  readonly commonName: string;
  /** The whole subject in DER, of an authority whose subject is more than a common name. */
  readonly subject?: Uint8Array;
  readonly key: KeyObject;
  readonly keyIdentifier: Uint8Array;
  /** Makes the signature, in DER. */
  readonly sign: KeyMaker["sign"];
}

const OID = {
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  sha256WithRsa: "1.2.840.113549.1.1.11",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAltName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
  clientAuth: "1.3.6.1.5.5.7.3.2",
} as const;

/** Makes a P-256 key and an X.509 v3 certificate for it, signed by `issuer`; without one it signs itself. */
export function issueCertificate(request: CertificateRequest, issuer?: Issuer, keys: KeyMaker = openSslKeys): KeyPair {
  const privateKey = keys.make();
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const { commonName } = request;
  const self = { commonName, key: privateKey, keyIdentifier: keyIdentifierOf(publicKey), sign: keys.sign };
  const subject = distinguishedName(request.commonName, request.organizations ?? []);
  return {
    certificate: signCertificate({ ...request, subject, publicKey }, issuer ?? self),
    key: sec1Pem(privateKey),
  };
}

/** A private EC key in the form of RFC 5915. */
export function sec1Pem(key: KeyObject): string {
  return key.export({ type: "sec1", format: "pem" }).toString();
}

/** The subject of a certificate, both fields in DER: a distinguished name and a SubjectPublicKeyInfo. */
export interface SignedSubject {
  readonly subject: Uint8Array;
  readonly publicKey: Uint8Array;
}

type Terms = Omit<CertificateRequest, "commonName" | "organizations">;

/** RSA's algorithms have it as their parameters. */
const NULL = Buffer.of(0x05, 0x00);

/** An X.509 v3 certificate, as PEM. */
export function signCertificate(request: Terms & SignedSubject, signer: Issuer): string {
  const keyIdentifier = keyIdentifierOf(request.publicKey);
  const algorithm =
    signer.key.asymmetricKeyType === "rsa"
      ? sequence(objectIdentifier(OID.sha256WithRsa), NULL)
      : sequence(objectIdentifier(OID.ecdsaWithSha256));
  const body = sequence(
    explicit(0, integer(Buffer.of(2))),
    integer(positive(request.serial)),
    algorithm,
    signer.subject ?? distinguishedName(signer.commonName, []),
    sequence(time(request.notBefore), time(request.notAfter)),
    request.subject,
    request.publicKey,
    explicit(3, sequence(...extensions(request, keyIdentifier, signer.keyIdentifier))),
  );
  const signature = signer.sign(signer.key, body);
  return pemText("CERTIFICATE", sequence(body, algorithm, bitString(signature)));
}

/** A CA made by {@link issueCertificate}, ready to sign. */
export function issuerOf(ca: KeyPair, commonName: string, { sign }: KeyMaker = openSslKeys): Issuer {
  const key = createPrivateKey(ca.key);
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  return { commonName, key, keyIdentifier: keyIdentifierOf(spki), sign };
}

/**
 * Makes an issuer of a CA that another program may have made. Throws an error for a key that is not one of an elliptic curve, for
 * a subject with more than a common name, and for an invalid certificate.
 */
export function issuerOfCertificate(ca: KeyPair, keys: KeyMaker = openSslKeys): Issuer {
  const { subject } = new X509Certificate(ca.certificate);
  const commonName = subject.startsWith("CN=") && !subject.includes("\n") ? subject.slice(3) : undefined;
  if (commonName === undefined) {
    throw new Error(
      `the certificate authority has the subject ${JSON.stringify(subject)}; kubets signs only by one whose subject is a common name alone`,
    );
  }
  const issuer = issuerOf(ca, commonName, keys);
  if (issuer.key.asymmetricKeyType !== "ec") {
    throw new Error(
      `the certificate authority has a key of the type ${issuer.key.asymmetricKeyType}; kubets signs only by keys of elliptic curves`,
    );
  }
  return issuer;
}

/** A hash of the key's bits, as RFC 5280 has it: without the byte that says how many of them are not meant. */
function keyIdentifierOf(spki: Uint8Array): Uint8Array {
  const [info] = derElements(spki);
  const [, key] = derElements(info?.content ?? spki);
  return createHash("sha1")
    .update(key?.content.subarray(1) ?? spki)
    .digest();
}

function extensions(request: Terms, own: Uint8Array, authority: Uint8Array): Buffer[] {
  const ca = request.usage === "ca";
  const list = [
    // digitalSignature, keyEncipherment and keyCertSign are bits 0, 2 and 5.
    extension(OID.keyUsage, true, ca ? bitString(Buffer.of(0b1010_0100), 2) : bitString(Buffer.of(0b1010_0000), 5)),
    extension(OID.basicConstraints, true, ca ? sequence(boolean(true)) : sequence()),
    extension(OID.subjectKeyIdentifier, false, octetString(own)),
    extension(OID.authorityKeyIdentifier, false, sequence(implicit(0, authority))),
  ];
  if (!ca) {
    const purposes = [
      ...(request.usage === "client" ? [] : [OID.serverAuth]),
      ...(request.usage === "server" ? [] : [OID.clientAuth]),
    ];
    list.push(extension(OID.extKeyUsage, false, sequence(...purposes.map(objectIdentifier))));
  }
  if (request.names !== undefined && request.names.length > 0) {
    list.push(extension(OID.subjectAltName, false, sequence(...request.names.map(generalName))));
  }
  return list;
}

function extension(oid: string, critical: boolean, value: Uint8Array): Buffer {
  return sequence(objectIdentifier(oid), ...(critical ? [boolean(true)] : []), octetString(value));
}

function generalName(name: string): Buffer {
  if (isIP(name) === 4) return implicit(7, Buffer.from(name.split(".").map(Number)));
  if (isIP(name) === 6) return implicit(7, ipv6Bytes(name));
  return implicit(2, Buffer.from(name, "ascii"));
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail] = address.split("::");
  const words = (text: string) => (text === "" ? [] : text.split(":").map((word) => Number.parseInt(word, 16)));
  const before = words(head);
  const after = tail === undefined ? [] : words(tail);
  const all = [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

/** Serial numbers are positive and at most 20 octets. */
function positive(serial: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(serial);
  copy[0] = ((copy[0] ?? 0) & 0x7f) | 0x40;
  return copy;
}
