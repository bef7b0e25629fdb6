import { createHash, createPublicKey, type KeyObject, sign } from "node:crypto";
import { reproducibleSignature } from "../reproducible-ecdsa.js";
import type { JsonObject } from "../../meta/json.js";
import { hashOf, keyInput } from "./algorithms.js";
import { type CompactToken, verifies } from "./compact-token.js";

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

const CURVES: Readonly<Record<string, Algorithm>> = {
  __proto__: null as never,
  prime256v1: "ES256",
  secp384r1: "ES384",
  secp521r1: "ES512",
};

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

/** A token of these claims, in compact form. */
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

/** The public half, as a JSON Web Key. */
export function jsonWebKey({ algorithm: alg, publicKey, id }: VerificationKey): JsonObject {
  const { kty = "", crv = "", x = "", y = "", n = "", e = "" } = publicKey.export({ format: "jwk" });
  return { use: "sig", kty, kid: id, ...(kty === "RSA" ? { alg, n, e } : { crv, alg, x, y }) };
}

const encoded = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");
