import { createPublicKey, type KeyObject, sign } from "node:crypto";
import { bitString, implicit, integer, objectIdentifier, sequence, set, utf8String } from "./der.js";
import { pemText } from "./pem.js";

const OID = { commonName: "2.5.4.3", organization: "2.5.4.10", ecdsaWithSha256: "1.2.840.10045.4.3.2" } as const;

/** Encodes an X.509 name of organizations and a common name, in DER: Kubernetes reads them as groups and user. */
export function distinguishedName(commonName: string, organizations: readonly string[]): Buffer {
  const attribute = (oid: string, value: string) => set(sequence(objectIdentifier(oid), utf8String(value)));
  return sequence(
    ...organizations.map((organization) => attribute(OID.organization, organization)),
    attribute(OID.commonName, commonName),
  );
}

/** Makes a PKCS #10 request (RFC 2986) for a certificate of that name and key, as PEM. The key is a private EC key on P-256. */
export function newCertificateRequest(commonName: string, organizations: readonly string[], key: KeyObject): string {
  const spki = createPublicKey(key).export({ type: "spki", format: "der" });
  const noAttributes = implicit(0x20, Buffer.alloc(0));
  const info = sequence(integer(Buffer.of(0)), distinguishedName(commonName, organizations), spki, noAttributes);
  const algorithm = sequence(objectIdentifier(OID.ecdsaWithSha256));
  return pemText("CERTIFICATE REQUEST", sequence(info, algorithm, bitString(sign("sha256", info, key))));
}
