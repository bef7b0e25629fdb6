import { createHash, sign } from "node:crypto";
import { derElement, derElements } from "../../machinery/crypto/der.js";
import { type PemPair, readKeyPair } from "../../machinery/crypto/key-pair.js";
import { readX509 } from "../../machinery/crypto/x509/certificate.js";
import type { Issuer } from "../../machinery/crypto/issue-certificate.js";

/**
 * Makes an issuer of another program's CA, with an RSA or an ECDSA key and any subject. Throws in Go's words if certificate and
 * key do not match, and for other types of keys.
 */
export function foreignAuthority(pair: PemPair): Issuer {
  const { leaf, key } = readKeyPair(pair);
  const type = key.asymmetricKeyType;
  if (type !== "rsa" && type !== "ec")
    throw new Error(`the authority has a key of the type ${type}; give RSA or ECDSA`);
  const { body, extensions } = readX509(leaf.raw);
  return {
    commonName: "",
    subject: subjectIn(body),
    key,
    keyIdentifier:
      extensions.subjectKeyId === ""
        ? createHash("sha1")
            .update(leaf.publicKey.export({ type: "spki", format: "der" }))
            .digest()
        : Buffer.from(extensions.subjectKeyId, "latin1"),
    sign: (signer, data) => sign("sha256", data, type === "ec" ? { key: signer, dsaEncoding: "der" } : signer),
  };
}

/** The subject of a certificate's signed part: its version is explicit, and left out in certificates of version 1. */
function subjectIn(body: Uint8Array): Uint8Array {
  const elements = derElements(derElement(body).content);
  const [, , , , subject] = elements[0]?.tag === 0xa0 ? elements.slice(1) : elements;
  return subject?.whole ?? new Uint8Array();
}
