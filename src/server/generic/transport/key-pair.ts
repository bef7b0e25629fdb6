import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { readCertificate } from "../../../machinery/signature/certificates.js";
import { pemBlocks } from "../../../machinery/codec/pem.js";

/** A certificate that a server shows, those between it and its authority behind it, and its key; both PEM. */
export interface ServingPair {
  readonly certificate: string;
  readonly key: string;
}

/**
 * The first certificate of a pair. Throws in Go's words (crypto/tls' X509KeyPair) for texts that hold no certificate or no key, and
 * for a key that is not the certificate's.
 */
export function certificateOfPair({ certificate, key }: ServingPair): X509Certificate {
  const shown = certificateBlock(certificate);
  const privateKey = keyIn(key);
  const publicKey = publicKeyOf(shown);
  if (publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) {
    throw new Error("tls: private key type does not match public key type");
  }
  if (!shown.checkPrivateKey(privateKey)) throw new Error("tls: private key does not match public key");
  return shown;
}

function certificateBlock(text: string): X509Certificate {
  const types: string[] = [];
  for (const { type, text: block } of pemBlocks(text)) {
    if (type === "CERTIFICATE") return readCertificate(block);
    types.push(type);
  }
  if (types.length === 0) throw new Error("tls: failed to find any PEM data in certificate input");
  if (types.length === 1 && types[0]?.endsWith("PRIVATE KEY")) {
    throw new Error(
      "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
    );
  }
  throw new Error(
    `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: [${types.join(" ")}]`,
  );
}

function keyIn(text: string): KeyObject {
  const types: string[] = [];
  for (const { type, text: block } of pemBlocks(text)) {
    if (type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY")) return parsedKey(block);
    types.push(type);
  }
  if (types.length === 0) throw new Error("tls: failed to find any PEM data in key input");
  if (types.length === 1 && types[0] === "CERTIFICATE") {
    throw new Error("tls: found a certificate rather than a key in the PEM for the private key");
  }
  throw new Error(
    `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: [${types.join(" ")}]`,
  );
}

function parsedKey(block: string): KeyObject {
  try {
    return createPrivateKey(block);
  } catch (error) {
    throw new Error("tls: failed to parse private key", { cause: error });
  }
}

function publicKeyOf(certificate: X509Certificate): KeyObject {
  try {
    return certificate.publicKey;
  } catch (error) {
    throw new Error("tls: unknown public key algorithm", { cause: error });
  }
}
