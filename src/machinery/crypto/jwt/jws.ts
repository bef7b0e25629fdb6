import { dictionary } from "../../../base/collections/dictionary.js";
import {
  createHash,
  createPublicKey,
  type KeyObject,
  sign,
  type SignKeyObjectInput,
  constants,
  verify,
} from "node:crypto";
import { reproducibleSignature } from "../reproducible-ecdsa.js";
import { type JsonObject, isJsonObject } from "../../meta/json.js";
import { decodeJson } from "../../wire/json/json-decoder.js";

/** The algorithms of RFC 7518 that kube-apiserver takes from an issuer of identities: keys are public, so none is symmetric. */
const ALGORITHMS = {
  RS256: { hash: "sha256", type: "rsa" },
  RS384: { hash: "sha384", type: "rsa" },
  RS512: { hash: "sha512", type: "rsa" },
  PS256: { hash: "sha256", type: "rsa", pss: true },
  PS384: { hash: "sha384", type: "rsa", pss: true },
  PS512: { hash: "sha512", type: "rsa", pss: true },
  ES256: { hash: "sha256", type: "ec", curve: "prime256v1" },
  ES384: { hash: "sha384", type: "ec", curve: "secp384r1" },
  ES512: { hash: "sha512", type: "ec", curve: "secp521r1" },
} as const satisfies Readonly<Record<string, AlgorithmFacts>>;

interface AlgorithmFacts {
  readonly hash: string;
  readonly type: "rsa" | "ec";
  readonly pss?: boolean;
  readonly curve?: string;
}

export type SignatureAlgorithm = keyof typeof ALGORITHMS;

/** The signature algorithms in byte order, as kube-apiserver lists them. */
export const SIGNATURE_ALGORITHMS = Object.keys(ALGORITHMS).sort() as readonly SignatureAlgorithm[];

export const isSignatureAlgorithm = (name: unknown): name is SignatureAlgorithm =>
  typeof name === "string" && Object.hasOwn(ALGORITHMS, name);

export const hashOf = (algorithm: SignatureAlgorithm): string => ALGORITHMS[algorithm].hash;

/** Whether a key is of the algorithm's type, and of its curve. A key of another type never checks a signature. */
function fitsAlgorithm(key: KeyObject, algorithm: SignatureAlgorithm): boolean {
  const facts: AlgorithmFacts = ALGORITHMS[algorithm];
  if (key.asymmetricKeyType !== facts.type) return false;
  return facts.curve === undefined || key.asymmetricKeyDetails?.namedCurve === facts.curve;
}

/** Adds to a key the padding and the encoding of the algorithm's signatures. */
export function keyInput(key: KeyObject, algorithm: SignatureAlgorithm): SignKeyObjectInput {
  const { pss }: AlgorithmFacts = ALGORITHMS[algorithm];
  if (pss !== true) return { key, dsaEncoding: "ieee-p1363" };
  return { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST };
}

/** A key that verifies JSON Web Tokens, with its id. */
export interface VerificationKey {
  readonly algorithm: Algorithm;
  readonly publicKey: KeyObject;
  /** As kube-apiserver names keys: the SHA-256 of the public key's DER, in base64url. */
  readonly id: string;
}

/** A key that signs JSON Web Tokens. */
export interface SigningKey extends VerificationKey {
  readonly privateKey: KeyObject;
  /** Whether it signs the same claims in the same way each time, which only keys for ES256 can. Default false. */
  readonly reproducible?: boolean;
}

const CURVES: Readonly<Record<string, Algorithm>> = dictionary({
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
});

/** The algorithms that kube-apiserver signs with. */
export type Algorithm = "RS256" | "ES256" | "ES384" | "ES512";

/** Throws for a key that is neither RSA nor of one of NIST's curves P-256, P-384 and P-521. */
export function signingKey(privateKey: KeyObject): SigningKey {
  return { ...verificationKey(createPublicKey(privateKey)), privateKey };
}

/** Throws for the keys that {@link signingKey} throws for. */
export function verificationKey(publicKey: KeyObject): VerificationKey {
  const der = publicKey.export({ type: "spki", format: "der" });
  return { algorithm: algorithmOf(publicKey), publicKey, id: createHash("sha256").update(der).digest("base64url") };
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  const algorithm = asymmetricKeyType === "rsa" ? "RS256" : CURVES[asymmetricKeyDetails?.namedCurve ?? ""];
  if (algorithm === undefined) throw new Error(`unknown key type ${asymmetricKeyType}, must be RSA or ECDSA`);
  return algorithm;
}

/** Signs a token with these claims, in compact form. */
export function signToken(claims: JsonObject, { algorithm, privateKey, id, reproducible }: SigningKey): string {
  const head = `${encoded({ alg: algorithm, kid: id })}.${encoded(claims)}`;
  const signature =
    reproducible === true
      ? reproducibleSignature(privateKey, Buffer.from(head))
      : sign(hashOf(algorithm), Buffer.from(head), keyInput(privateKey, algorithm));
  return `${head}.${signature.toString("base64url")}`;
}

/**
 * Whether the key signed the token: by the one algorithm of the key, and with a header that names this key or none. A header's
 * algorithm never chooses how a key is used.
 */
export function isSignedBy(token: CompactToken, { algorithm, publicKey, id }: VerificationKey): boolean {
  const { alg, kid = id } = token.header;
  return alg === algorithm && kid === id && verifies(publicKey, token);
}

/** Exports the public key as a JSON Web Key. */
export function jsonWebKey({ algorithm: alg, publicKey, id }: VerificationKey): JsonObject {
  const { kty = "", crv = "", x = "", y = "", n = "", e = "" } = publicKey.export({ format: "jwk" });
  return { use: "sig", kty, kid: id, ...(kty === "RSA" ? { alg, n, e } : { crv, alg, x, y }) };
}

const encoded = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A JSON Web Token that is parsed from its compact form, and not verified. */
export interface CompactToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  /** What the signature is over. */
  readonly signed: string;
  readonly signature: Uint8Array;
}

/** No issuer's token is longer, in characters; a longer one is not decoded. */
const LONGEST = 256 * 1024;
/** What a token may nest. */
const MOST_DEPTH = 100;

/**
 * Parses a token strictly: three parts of base64url without padding, and JSON objects without duplicate members. Undefined for
 * anything else, and for a header with critical extensions, none of which are supported.
 */
export function readToken(token: string): CompactToken | undefined {
  if (token.length > LONGEST) return undefined;
  const [head = "", body = "", signature = "", ...more] = token.split(".");
  if (more.length > 0 || ![head, body, signature].every(isBase64Url)) return undefined;
  const header = objectIn(head);
  const claims = objectIn(body);
  if (header === undefined || claims === undefined || "crit" in header) return undefined;
  return { header, claims, signed: `${head}.${body}`, signature: Buffer.from(signature, "base64url") };
}

/** The claim "iss" of a token before its verification; it tells which authenticator must verify the token. "" for an invalid token. */
export function untrustedIssuer(token: string): string {
  if (token.length > LONGEST) return "";
  const [, body = "", , ...more] = token.split(".");
  if (more.length > 0 || !isBase64Url(body)) return "";
  const issuer = objectIn(body)?.["iss"];
  return typeof issuer === "string" ? issuer : "";
}

/** Whether the key made the signature, by the algorithm that the header names; false for an algorithm that does not fit the key. */
export function verifies(key: KeyObject, { header, signed, signature }: CompactToken): boolean {
  const { alg } = header;
  if (!isSignatureAlgorithm(alg) || !fitsAlgorithm(key, alg)) return false;
  return verify(hashOf(alg), Buffer.from(signed), keyInput(key, alg), signature);
}

/** Node's decoder skips what it does not know, takes padding and both alphabets: only what it would write itself is taken. */
const isBase64Url = (part: string): boolean =>
  part !== "" && Buffer.from(part, "base64url").toString("base64url") === part;

function objectIn(part: string): JsonObject | undefined {
  try {
    const { value, duplicates } = decodeJson(Buffer.from(part, "base64url"), { maxDepth: MOST_DEPTH });
    return isJsonObject(value) && duplicates === undefined ? value : undefined;
  } catch {
    return undefined;
  }
}
