import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from "node:crypto";

interface PemBlock {
  readonly type: string;
  readonly bytes: Buffer;
}

/**
 * Throws, in the words of Go's crypto/tls, unless the first certificate of one PEM file has the private key that the
 * other holds.
 */
export function requireKeyPair(certificate: Uint8Array, key: Uint8Array): void {
  const leaf = firstCertificate(pemBlocks(certificate));
  const keyBlock = firstKey(pemBlocks(key));
  const { publicKey } = parseCertificate(leaf);
  const privateKey = parsePrivateKey(keyBlock);
  if (publicKey.asymmetricKeyType !== privateKey.asymmetricKeyType) {
    throw new Error("tls: private key type does not match public key type");
  }
  if (!createPublicKey(privateKey).equals(publicKey)) throw new Error("tls: private key does not match public key");
}

function pemBlocks(file: Uint8Array): readonly PemBlock[] {
  const text = Buffer.from(file).toString("latin1");
  const block = /^-----BEGIN ([^\n]*?)-----[ \t\r]*\n([\s\S]*?)^-----END \1-----/gm;
  return [...text.matchAll(block)].flatMap(([, type = "", body = ""]) => {
    // Headers ("Proc-Type: ...") stand before an empty line.
    const encoded = body.replace(/^(?:[^\n:]+:[^\n]*\n)+\r?\n/, "").replaceAll(/\s/g, "");
    return /^[A-Za-z0-9+/]*={0,2}$/.test(encoded) ? [{ type, bytes: Buffer.from(encoded, "base64") }] : [];
  });
}

const typesOf = (blocks: readonly PemBlock[]): string => `[${blocks.map(({ type }) => type).join(" ")}]`;

function firstCertificate(blocks: readonly PemBlock[]): PemBlock {
  const found = blocks.find(({ type }) => type === "CERTIFICATE");
  if (found !== undefined) return found;
  const [only] = blocks;
  if (only === undefined) throw new Error("tls: failed to find any PEM data in certificate input");
  if (blocks.length === 1 && only.type.endsWith("PRIVATE KEY")) {
    throw new Error(
      "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
    );
  }
  throw new Error(
    `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`,
  );
}

function firstKey(blocks: readonly PemBlock[]): PemBlock {
  const found = blocks.find(({ type }) => type === "PRIVATE KEY" || type.endsWith(" PRIVATE KEY"));
  if (found !== undefined) return found;
  if (blocks.length === 0) throw new Error("tls: failed to find any PEM data in key input");
  if (blocks.length === 1 && blocks[0]?.type === "CERTIFICATE") {
    throw new Error("tls: found a certificate rather than a key in the PEM for the private key");
  }
  throw new Error(
    `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(blocks)}`,
  );
}

function parseCertificate({ bytes }: PemBlock): X509Certificate {
  try {
    return new X509Certificate(bytes);
  } catch (error) {
    throw new Error("x509: malformed certificate", { cause: error });
  }
}

/** Whatever the block says it is: each of the three forms is tried. */
function parsePrivateKey({ bytes }: PemBlock): KeyObject {
  for (const type of ["pkcs1", "pkcs8", "sec1"] as const) {
    try {
      return createPrivateKey({ key: bytes, format: "der", type });
    } catch {
      // The next form may be the right one.
    }
  }
  throw new Error("tls: failed to parse private key");
}
