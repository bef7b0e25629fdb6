import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { reproducibleSignature } from "../signature/reproducible-ecdsa.js";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";

/** A key that checks JSON Web Tokens, and what tells others which one it is. */
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

/** The algorithms that kube-apiserver signs with, each with its hash. */
const HASHES = { RS256: "sha256", ES256: "sha256", ES384: "sha384", ES512: "sha512" } as const;
const CURVES: Readonly<Record<string, Algorithm>> = { prime256v1: "ES256", secp384r1: "ES384", secp521r1: "ES512" };

export type Algorithm = keyof typeof HASHES;

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

/** A token of these claims, in compact form. */
export function signToken(claims: JsonObject, { algorithm, privateKey, id, reproducible }: SigningKey): string {
  const head = `${encoded({ alg: algorithm, kid: id })}.${encoded(claims)}`;
  const signature =
    reproducible === true
      ? reproducibleSignature(privateKey, Buffer.from(head))
      : sign(HASHES[algorithm], Buffer.from(head), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${head}.${signature.toString("base64url")}`;
}

/** What a token claims, not yet believed; undefined for what is no token. */
export function readClaims(token: string): JsonObject | undefined {
  const parts = token.split(".");
  const claims = parts.length === 3 ? decoded(parts[1] ?? "") : undefined;
  return isJsonObject(claims) ? claims : undefined;
}

/** Whether the key signed the token. */
export function isSignedBy(token: string, { algorithm, publicKey, id }: VerificationKey): boolean {
  const end = token.lastIndexOf(".");
  const head = decoded(token.slice(0, token.indexOf(".")));
  if (!isJsonObject(head) || head["alg"] !== algorithm || (head["kid"] ?? id) !== id) return false;
  const signature = Buffer.from(token.slice(end + 1), "base64url");
  const signed = Buffer.from(token.slice(0, end));
  return verify(HASHES[algorithm], signed, { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
}

/** The public half, as a JSON Web Key. */
export function jsonWebKey({ algorithm: alg, publicKey, id }: VerificationKey): JsonObject {
  const { kty = "", crv = "", x = "", y = "", n = "", e = "" } = publicKey.export({ format: "jwk" });
  return { use: "sig", kty, kid: id, ...(kty === "RSA" ? { alg, n, e } : { crv, alg, x, y }) };
}

const encoded = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decoded(part: string): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as JsonValue;
  } catch {
    return undefined;
  }
}
