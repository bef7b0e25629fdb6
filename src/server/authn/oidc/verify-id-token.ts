import { errorMessage } from "../../../base/text/error-message.js";
import { goQuote } from "../../../base/text/go-quote.js";
import { type SignatureAlgorithm, readToken } from "../../../machinery/crypto/jwt/jws.js";
import { list, text } from "../../../machinery/meta/access.js";
import type { JsonObject, JsonValue } from "../../../machinery/meta/json.js";
import type { IssuerKeys } from "./issuer-keys.js";

/** The requirements for a token of an issuer. */
export interface IdTokenTerms {
  readonly issuer: string;
  /** One of them must be among the token's. */
  readonly audiences: readonly string[];
  readonly algorithms: readonly SignatureAlgorithm[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Clocks may differ by as much, of a token that is not valid yet; one that has expired has no such time. */
const LEEWAY_MS = 60_000;

/** The claims of a token that the issuer signed for one of the audiences, and that is valid now. Rejects in go-oidc's words. */
export async function verifyIdToken(token: string, keys: IssuerKeys, terms: IdTokenTerms): Promise<JsonObject> {
  const read = readToken(token);
  if (read === undefined) throw new Error("oidc: malformed jwt: oidc: malformed jwt payload");
  const { claims, header } = read;
  const issuer = text(claims["iss"]);
  if (issuer !== terms.issuer && !(issuer === GOOGLE && terms.issuer === `https://${GOOGLE}`)) {
    const [expected, got] = [terms.issuer, issuer].map(goQuote);
    throw new Error(`oidc: id token issued by a different provider, expected ${expected} got ${got}`);
  }
  const audiences = audiencesOf(claims["aud"]);
  const [first = "", ...others] = terms.audiences;
  if (others.length === 0 && !audiences.includes(first)) {
    throw new Error(`oidc: expected audience ${goQuote(first)} got ${quoted(audiences)}`);
  }
  checkTimes(claims, terms.now);
  if (!terms.algorithms.some((one) => one === header["alg"])) {
    const [expected, got] = [quoted(terms.algorithms), goQuote(text(header["alg"]))];
    throw new Error(`oidc: id token signed with unsupported algorithm, expected ${expected} got ${got}`);
  }
  await keys.verify(read).catch((error: unknown) => {
    throw new Error(`failed to verify signature: ${errorMessage(error)}`);
  });
  if (!audiences.some((one) => terms.audiences.includes(one))) {
    throw new Error(`oidc: expected audience in ${quoted([...terms.audiences].sort())} got ${quoted(audiences)}`);
  }
  return claims;
}

const GOOGLE = "accounts.google.com";

function checkTimes(claims: JsonObject, now: number): void {
  const expiry = seconds(claims["exp"]) ?? 0;
  if (expiry * 1000 < now) throw new Error(`oidc: token is expired (Token Expiry: ${goTime(expiry * 1000)})`);
  const notBefore = seconds(claims["nbf"]);
  if (notBefore !== undefined && now + LEEWAY_MS < notBefore * 1000) {
    throw new Error(`oidc: current time ${goTime(now)} before the nbf (not before) time: ${goTime(notBefore * 1000)}`);
  }
}

/** Whole seconds, as go-oidc reads a time; undefined where there is none. */
function seconds(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" || typeof value === "bigint" ? Math.trunc(Number(value)) : undefined;
}

/** A time as Go's %v writes one in UTC. A time beyond what a Date holds is none. */
function goTime(milliseconds: number): string {
  const date = new Date(milliseconds);
  if (Number.isNaN(date.getTime())) return "invalid time";
  return `${date
    .toISOString()
    .replace("T", " ")
    .replace(/\.?0*Z$/, "")} +0000 UTC`;
}

const audiencesOf = (claim: JsonValue | undefined): readonly string[] =>
  typeof claim === "string" ? [claim] : list(claim).map(text);

/** A list of strings as Go's %q writes it. */
const quoted = (texts: readonly string[]): string => `[${texts.map(goQuote).join(" ")}]`;
