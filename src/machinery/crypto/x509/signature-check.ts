import { dictionary } from "../../../base/collections/dictionary.js";
import { constants, createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { Lru } from "../../../base/collections/lru.js";
import { derElement, derElements, derObjectIdentifier } from "../der.js";
import type { Certificate } from "./certificate.js";

/** How a certificate is signed, by the object identifier. Go takes no others. */
interface SignatureAlgorithm {
  readonly name: string;
  readonly key: "RSA" | "ECDSA" | "Ed25519" | "DSA";
  readonly hash: "sha256" | "sha384" | "sha512" | "insecure" | undefined;
  readonly isPss?: boolean;
}

const ALGORITHMS: Readonly<Record<string, SignatureAlgorithm | undefined>> = dictionary({
  "1.2.840.113549.1.1.4": { name: "MD5-RSA", key: "RSA", hash: "insecure" },
  "1.2.840.113549.1.1.5": { name: "SHA1-RSA", key: "RSA", hash: "insecure" },
  "1.3.14.3.2.29": { name: "SHA1-RSA", key: "RSA", hash: "insecure" },
  "1.2.840.113549.1.1.11": { name: "SHA256-RSA", key: "RSA", hash: "sha256" },
  "1.2.840.113549.1.1.12": { name: "SHA384-RSA", key: "RSA", hash: "sha384" },
  "1.2.840.113549.1.1.13": { name: "SHA512-RSA", key: "RSA", hash: "sha512" },
  "1.2.840.10040.4.3": { name: "DSA-SHA1", key: "DSA", hash: "insecure" },
  "2.16.840.1.101.3.4.3.2": { name: "DSA-SHA256", key: "DSA", hash: "sha256" },
  "1.2.840.10045.4.1": { name: "ECDSA-SHA1", key: "ECDSA", hash: "insecure" },
  "1.2.840.10045.4.3.2": { name: "ECDSA-SHA256", key: "ECDSA", hash: "sha256" },
  "1.2.840.10045.4.3.3": { name: "ECDSA-SHA384", key: "ECDSA", hash: "sha384" },
  "1.2.840.10045.4.3.4": { name: "ECDSA-SHA512", key: "ECDSA", hash: "sha512" },
  "1.3.101.112": { name: "Ed25519", key: "Ed25519", hash: undefined },
});

const PSS = "1.2.840.113549.1.1.10";
const PSS_HASHES: Readonly<Record<string, "sha256" | "sha384" | "sha512" | undefined>> = dictionary({
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
});

/** By the object identifier of a key: what Go calls such a key, and its type. */
const KEYS: Readonly<Record<string, { readonly key: SignatureAlgorithm["key"]; readonly goType: string } | undefined>> =
  dictionary({
    "1.2.840.113549.1.1.1": { key: "RSA", goType: "*rsa.PublicKey" },
    "1.2.840.10045.2.1": { key: "ECDSA", goType: "*ecdsa.PublicKey" },
    "1.3.101.112": { key: "Ed25519", goType: "ed25519.PublicKey" },
    "1.2.840.10040.4.1": { key: "DSA", goType: "*dsa.PublicKey" },
  });

const UNIMPLEMENTED = "x509: cannot verify signature: algorithm unimplemented";
const SMALLEST_RSA = 1024;
/** Go ends a handshake with a longer one, which would take long to use. */
const LONGEST_RSA = 8192;
const MOST_KNOWN = 1000;
const CERT_SIGN = 1 << 5;

/** Signatures that were right, by a hash of the certificate and of its issuer's key: to check one takes as long as the rest of a chain. */
const known = new Lru<string, true>(MOST_KNOWN);

/** Whether the key is of a kind that Go reads. It builds no chain over others. */
export function hasKnownKey({ publicKey }: Certificate): boolean {
  return KEYS[keyIdOf(publicKey)] !== undefined;
}

/** Returns why this certificate may not sign others; undefined where it may. */
export function signingFault({ version, extensions: { basicConstraints, keyUsage } }: Certificate): string | undefined {
  const isAuthority = basicConstraints?.isAuthority ?? version !== 3;
  if (isAuthority && (keyUsage === 0 || (keyUsage & CERT_SIGN) !== 0)) return undefined;
  return "x509: invalid signature: parent certificate cannot sign this kind of certificate";
}

/** Returns the error for a certificate that is signed with an insecure algorithm; undefined for a secure or unknown one. */
export function insecureAlgorithm(certificate: Certificate): string | undefined {
  const algorithm = algorithmOf(certificate);
  if (algorithm?.hash !== "insecure") return undefined;
  return `x509: cannot verify signature: insecure algorithm ${algorithm.name}`;
}

/** Returns why the issuer's signature of the certificate is invalid, in Go's words; undefined where it is valid. */
export function signatureFault(certificate: Certificate, issuer: Certificate): string | undefined {
  const unable = signingFault(issuer) ?? insecureAlgorithm(certificate);
  if (unable !== undefined) return unable;
  const algorithm = algorithmOf(certificate);
  if (algorithm === undefined || algorithm.hash === "insecure") return UNIMPLEMENTED;
  const held = KEYS[keyIdOf(issuer.publicKey)];
  if (held === undefined || held.key === "DSA") return UNIMPLEMENTED;
  if (held.key !== algorithm.key) {
    return `x509: signature algorithm specifies an ${algorithm.key} public key, but have public key of type ${held.goType}`;
  }
  const name = createHash("sha256").update(certificate.raw).update(issuer.publicKey).digest("base64");
  if (known.get(name)) return undefined;
  const fault = verificationFault(certificate, issuer, algorithm);
  if (fault === undefined) known.set(name, true);
  return fault;
}

function verificationFault(
  { body, signature }: Certificate,
  { publicKey }: Certificate,
  { key: kind, hash, isPss = false }: SignatureAlgorithm,
): string | undefined {
  let key: KeyObject | undefined;
  try {
    key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
  } catch {
    // OpenSSL reads no such key.
  }
  const bits = key?.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < SMALLEST_RSA) {
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  }
  if (bits !== undefined && bits > LONGEST_RSA) return "crypto/rsa: verification error";
  const padding = isPss && {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_DIGEST,
  };
  if (key !== undefined && verify(hash, body, { key, dsaEncoding: "der", ...padding }, signature)) return undefined;
  return kind === "RSA" ? "crypto/rsa: verification error" : `x509: ${kind} verification failure`;
}

function algorithmOf({ algorithm: { id, parameters } }: Certificate): SignatureAlgorithm | undefined {
  if (id !== PSS) return ALGORITHMS[id];
  const hash = parameters && pssHash(parameters);
  return hash && { name: `${hash.toUpperCase()}-RSAPSS`, key: "RSA", hash, isPss: true };
}

/** Go takes only a salt as long as the hash, and one hash for all. */
function pssHash(parameters: Uint8Array): "sha256" | "sha384" | "sha512" | undefined {
  try {
    const [hash, mask, salt] = derElements(derElement(parameters).content).map(({ content }) => derElement(content));
    const id = identifierIn(hash?.content);
    const [, maskHash] = derElements(mask?.content ?? new Uint8Array());
    const name = PSS_HASHES[id];
    const isSame = identifierIn(maskHash?.content) === id && identifierIn(mask?.content) === "1.2.840.113549.1.1.8";
    return name !== undefined && isSame && salt?.content[0] === Number(name.slice(3)) / 8 ? name : undefined;
  } catch {
    return undefined;
  }
}

function keyIdOf(publicKey: Uint8Array): string {
  const [algorithm] = derElements(derElement(publicKey).content);
  return identifierIn(algorithm?.content);
}

function identifierIn(content: Uint8Array = new Uint8Array()): string {
  const [id] = derElements(content);
  return derObjectIdentifier(id?.content ?? new Uint8Array());
}
