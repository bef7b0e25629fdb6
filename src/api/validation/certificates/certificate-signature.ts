import { dictionary } from "../../../base/collections/dictionary.js";
import { constants, createPublicKey, type KeyObject, verify } from "node:crypto";
import { nameAttributes } from "../../../machinery/crypto/certificate-names.js";
import { readCertificateRequest } from "../../../machinery/crypto/certificate-request.js";
import { derElement, derElements, DerError, derObjectIdentifier, notSequence } from "../../../machinery/crypto/der.js";

const SEQUENCE = 0x30;

interface Algorithm {
  readonly key: "rsa" | "ec" | "ed25519";
  /** Null: the algorithm has its own. */
  readonly digest: string | null;
  readonly pss?: boolean;
}

const ALGORITHMS: Readonly<Record<string, Algorithm>> = dictionary({
  "1.2.840.113549.1.1.5": { key: "rsa", digest: "sha1" },
  "1.2.840.113549.1.1.11": { key: "rsa", digest: "sha256" },
  "1.2.840.113549.1.1.12": { key: "rsa", digest: "sha384" },
  "1.2.840.113549.1.1.13": { key: "rsa", digest: "sha512" },
  "1.2.840.10045.4.1": { key: "ec", digest: "sha1" },
  "1.2.840.10045.4.3.2": { key: "ec", digest: "sha256" },
  "1.2.840.10045.4.3.3": { key: "ec", digest: "sha384" },
  "1.2.840.10045.4.3.4": { key: "ec", digest: "sha512" },
  "1.3.101.112": { key: "ed25519", digest: null },
});
const PSS = "1.2.840.113549.1.1.10";
const PSS_DIGESTS: Readonly<Record<string, string>> = dictionary({
  "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384",
  "2.16.840.1.101.3.4.2.3": "sha512",
});
const MD5 = "1.2.840.113549.1.1.4";
const SMALLEST_RSA_BITS = 1024;

const FAILURES: Readonly<Record<Algorithm["key"], string>> = {
  rsa: "crypto/rsa: verification error",
  ec: "x509: ECDSA verification failure",
  ed25519: "x509: Ed25519 verification failure",
};
const KEY_NAMES: Readonly<Record<Algorithm["key"], string>> = { rsa: "RSA", ec: "ECDSA", ed25519: "Ed25519" };
const GO_TYPES: Readonly<Record<string, string>> = dictionary({
  rsa: "*rsa.PublicKey",
  ec: "*ecdsa.PublicKey",
  ed25519: "ed25519.PublicKey",
});

/** Returns Go's error for a PKCS #10 request in DER that cannot be parsed or that its key did not sign; undefined for a good one. */
export function certificateRequestProblem(der: Uint8Array): string | undefined {
  try {
    return problemOf(der);
  } catch (error) {
    if (error instanceof DerError) return error.message;
    throw error;
  }
}

/**
 * Returns why the subject of a good request cannot be read as Go's x509 reads it. kube-apiserver accepts such a request, and
 * signers drop the value: an approver who uses another reader (OpenSSL) sees a subject that differs from the one that is signed.
 */
export function subjectProblem(der: Uint8Array): string | undefined {
  try {
    const [, subject] = derElements(derElement(derElement(der).content).content);
    nameAttributes(subject);
    return undefined;
  } catch (error) {
    if (error instanceof DerError) return `x509: ${error.message}`;
    throw error;
  }
}

function problemOf(der: Uint8Array): string | undefined {
  const whole = derElement(der);
  if (whole.tag !== SEQUENCE) throw notSequence(whole, "certificateRequest");
  if (whole.whole.length < der.length) return "asn1: syntax error: trailing data";
  const [signed, algorithm, signature] = derElements(whole.content);
  if (signed?.tag !== SEQUENCE || algorithm?.tag !== SEQUENCE || signature?.tag !== 0x03) {
    return "asn1: syntax error: sequence truncated";
  }
  const [, , publicKey] = derElements(signed.content);
  const key = publicKey && keyOf(publicKey.whole);
  if (key === undefined) return "x509: unsupported elliptic curve";
  readCertificateRequest(der);
  const how = algorithmOf(algorithm.content);
  return typeof how === "string" ? how : verification(how, key, signed.whole, signature.content.subarray(1));
}

function verification(how: Algorithm, key: KeyObject, data: Uint8Array, signature: Uint8Array): string | undefined {
  const type = key.asymmetricKeyType ?? "";
  if (type !== how.key) {
    const name = KEY_NAMES[how.key];
    return `x509: signature algorithm specifies an ${name} public key, but have public key of type ${GO_TYPES[type] ?? type}`;
  }
  const bits = key.asymmetricKeyDetails?.modulusLength;
  if (bits !== undefined && bits < SMALLEST_RSA_BITS) {
    return `crypto/rsa: ${bits}-bit keys are insecure (see https://go.dev/pkg/crypto/rsa#hdr-Minimum_key_size)`;
  }
  const padding = how.pss === true && {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_AUTO,
  };
  return verify(how.digest, data, { key, ...padding }, signature) ? undefined : FAILURES[how.key];
}

/** How a request is signed, or why that cannot be checked. */
function algorithmOf(content: Uint8Array): Algorithm | string {
  const [identifier, parameters] = derElements(content);
  const id = derObjectIdentifier(identifier?.content ?? new Uint8Array());
  if (id === MD5) return "x509: cannot verify signature: insecure algorithm MD5-RSA";
  const digest = id === PSS ? pssDigest(parameters?.content ?? new Uint8Array()) : undefined;
  if (digest !== undefined) return { key: "rsa", digest, pss: true };
  return ALGORITHMS[id] ?? "x509: cannot verify signature: algorithm unimplemented";
}

/** The first of the parameters of RSASSA-PSS names the digest; Kubernetes' Go takes none but SHA-2. */
function pssDigest(content: Uint8Array): string | undefined {
  const [first] = derElements(content);
  if (first?.tag !== 0xa0) return undefined;
  const [identifier] = derElements(derElement(first.content).content);
  return PSS_DIGESTS[derObjectIdentifier(identifier?.content ?? new Uint8Array())];
}

function keyOf(spki: Uint8Array): KeyObject | undefined {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: "der", type: "spki" });
  } catch {
    return undefined;
  }
}
