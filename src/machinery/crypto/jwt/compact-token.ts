import { type KeyObject, verify } from "node:crypto";
import { decodeJson } from "../../wire/json/json-decoder.js";
import { isJsonObject, type JsonObject } from "../../meta/json.js";
import { fitsAlgorithm, hashOf, isSignatureAlgorithm, keyInput } from "./algorithms.js";

/** A JSON Web Token in compact form, read and not yet believed. */
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
 * Reads a token strictly: three parts of base64url without padding, JSON objects that name no member twice. Undefined for
 * everything else, and for a header with critical extensions, of which there are none here.
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

/** The claim "iss" of a token that nothing has verified yet: who is to verify it. "" for what is no token. */
export function untrustedIssuer(token: string): string {
  if (token.length > LONGEST) return "";
  const [, body = "", , ...more] = token.split(".");
  if (more.length > 0 || !isBase64Url(body)) return "";
  const issuer = objectIn(body)?.["iss"];
  return typeof issuer === "string" ? issuer : "";
}

/** Whether the key made the signature, by the algorithm that the header names; false where that is no algorithm for the key. */
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
