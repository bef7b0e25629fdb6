import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import { type PemBlock, pemBlocks } from "./pem.js";
import { readCertificate } from "./certificates.js";

/** A certificate chain, the leaf first, and its key; both PEM. */
export interface PemPair {
  readonly certificate: string;
  readonly key: string;
}

/** A certificate chain and its private key, parsed from PEM. */
export interface KeyPair {
  readonly leaf: X509Certificate;
  /** The certificates of the text, the leaf first; DER. */
  readonly chain: readonly Uint8Array[];
  readonly key: KeyObject;
}

/**
 * Reads a certificate and its key. Throws in the words of Go's crypto/tls (X509KeyPair) for texts that hold no certificate or no key,
 * and for a key that is not the certificate's.
 */
export function readKeyPair({ certificate, key: keyText }: PemPair): KeyPair {
  const chain = certificatesOf(certificate);
  const keyBlock = keyOf(keyText);
  const leaf = readCertificate(chain[0] ?? new Uint8Array());
  const key = parsedKey(keyBlock);
  if (publicKeyOf(leaf).asymmetricKeyType !== key.asymmetricKeyType) {
    throw new Error("tls: private key type does not match public key type");
  }
  if (!leaf.checkPrivateKey(key)) throw new Error("tls: private key does not match public key");
  return { leaf, chain, key };
}

function certificatesOf(text: string): readonly Uint8Array[] {
  const blocks = [...pemBlocks(text)];
  const found = blocks.filter(({ type }) => type === "CERTIFICATE");
  if (found.length > 0) return found.map(({ bytes }) => bytes);
  if (blocks.length === 0) throw new Error("tls: failed to find any PEM data in certificate input");
  if (blocks.length === 1 && blocks[0]?.type.endsWith("PRIVATE KEY")) {
    throw new Error(
      "tls: failed to find certificate PEM data in certificate input, but did find a private key; PEM inputs may have been switched",
    );
  }
  throw new Error(
    `tls: failed to find "CERTIFICATE" PEM block in certificate input after skipping PEM blocks of the following types: ${typesOf(blocks)}`,
  );
}

function keyOf(text: string): PemBlock {
  const passed: PemBlock[] = [];
  for (const block of pemBlocks(text)) {
    if (block.type === "PRIVATE KEY" || block.type.endsWith(" PRIVATE KEY")) return block;
    passed.push(block);
  }
  if (passed.length === 0) throw new Error("tls: failed to find any PEM data in key input");
  if (passed.length === 1 && passed[0]?.type === "CERTIFICATE") {
    throw new Error("tls: found a certificate rather than a key in the PEM for the private key");
  }
  throw new Error(
    `tls: failed to find PEM block with type ending in "PRIVATE KEY" in key input after skipping PEM blocks of the following types: ${typesOf(passed)}`,
  );
}

const typesOf = (blocks: readonly PemBlock[]): string => `[${blocks.map(({ type }) => type).join(" ")}]`;

const KNOWN_KEYS: ReadonlySet<string | undefined> = new Set(["rsa", "ec", "ed25519"]);

/** Whatever the block says it is: each of the three forms is tried. */
function parsedKey({ bytes }: PemBlock): KeyObject {
  for (const type of ["pkcs1", "pkcs8", "sec1"] as const) {
    let key: KeyObject;
    try {
      key = createPrivateKey({ key: Buffer.from(bytes), format: "der", type });
    } catch {
      // The next form may be the right one.
      continue;
    }
    if (KNOWN_KEYS.has(key.asymmetricKeyType)) return key;
    throw new Error("tls: found unknown private key type in PKCS#8 wrapping");
  }
  throw new Error("tls: failed to parse private key");
}

function publicKeyOf(certificate: X509Certificate): KeyObject {
  let key: KeyObject | undefined;
  try {
    key = certificate.publicKey;
  } catch {
    // OpenSSL does not know it either.
  }
  if (!KNOWN_KEYS.has(key?.asymmetricKeyType)) throw new Error("tls: unknown public key algorithm");
  return key as KeyObject;
}
