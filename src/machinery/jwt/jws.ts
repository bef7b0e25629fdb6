import { createHash, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "../meta/json.js";

/** A P-256 key that signs JSON Web Tokens, and what tells others which one it is. */
export interface SigningKey {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** As kube-apiserver names keys: the SHA-256 of the public key's DER, in base64url. */
  readonly id: string;
}

export const ALGORITHM = "ES256";

export function signingKey(privateKey: KeyObject): SigningKey {
  const publicKey = createPublicKey(privateKey);
  const der = publicKey.export({ type: "spki", format: "der" });
  return { privateKey, publicKey, id: createHash("sha256").update(der).digest("base64url") };
}

/** A token of these claims, in compact form. */
export function signToken(claims: JsonObject, { privateKey, id }: SigningKey): string {
  const head = `${encoded({ alg: ALGORITHM, kid: id })}.${encoded(claims)}`;
  const signature = sign("sha256", Buffer.from(head), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${head}.${signature.toString("base64url")}`;
}

/** What a token claims, not yet believed; undefined for what is no token. */
export function readClaims(token: string): JsonObject | undefined {
  const parts = token.split(".");
  const claims = parts.length === 3 ? decoded(parts[1] ?? "") : undefined;
  return isJsonObject(claims) ? claims : undefined;
}

/** Whether the key signed the token. */
export function isSignedBy(token: string, { publicKey, id }: SigningKey): boolean {
  const end = token.lastIndexOf(".");
  const head = decoded(token.slice(0, token.indexOf(".")));
  if (!isJsonObject(head) || head["alg"] !== ALGORITHM || (head["kid"] ?? id) !== id) return false;
  const signature = Buffer.from(token.slice(end + 1), "base64url");
  return verify("sha256", Buffer.from(token.slice(0, end)), { key: publicKey, dsaEncoding: "ieee-p1363" }, signature);
}

/** The public half, as a JSON Web Key. */
export function jsonWebKey({ publicKey, id }: SigningKey): JsonObject {
  const { kty = "", crv = "", x = "", y = "" } = publicKey.export({ format: "jwk" });
  return { use: "sig", kty, kid: id, crv, alg: ALGORITHM, x, y };
}

const encoded = (value: JsonObject): string => Buffer.from(JSON.stringify(value)).toString("base64url");

function decoded(part: string): JsonValue | undefined {
  try {
    return JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as JsonValue;
  } catch {
    return undefined;
  }
}
