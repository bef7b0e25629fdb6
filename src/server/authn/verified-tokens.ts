import { createHash } from "node:crypto";
import { Lru } from "../../base/collections/lru.js";
import { isSignedBy, type VerificationKey, readToken } from "../../machinery/crypto/jwt/jws.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import { InvalidTokenError } from "../request/user.js";

/** How long a signature that was right need not be checked again, in milliseconds: kube-apiserver's time for tokens. */
const KEPT_MS = 10_000;
/** How many tokens are remembered. kube-apiserver's caches hold as many. */
const MOST_TOKENS = 32 * 1024;

/**
 * Verifies the signatures of tokens with any of the current keys. It caches the digests of valid tokens, never a token, and drops
 * all of them when the keys change. The caller must check the claims (times, audiences) each time.
 */
export class VerifiedTokens {
  #keys: readonly VerificationKey[] = [];
  #known = new Lru<string, { readonly claims: JsonObject; readonly until: number }>(MOST_TOKENS);

  constructor(private readonly now: () => number) {}

  /**
   * The claims of a token that one of the keys signed, which must not be changed; undefined for what is no token, and for one of an
   * issuer that is not ours. Throws an InvalidTokenError, in go-jose's words, for a token of ours that none of the keys signed.
   */
  claimsOf(
    token: string,
    keys: readonly VerificationKey[],
    isOurs: (issuer: unknown) => boolean,
  ): JsonObject | undefined {
    if (keys !== this.#keys) {
      this.#keys = keys;
      this.#known = new Lru(MOST_TOKENS);
    }
    const digest = createHash("sha256").update(token).digest("base64");
    const known = this.#known.get(digest);
    if (known !== undefined && known.until > this.now()) return known.claims;
    const read = readToken(token);
    if (read === undefined || !isOurs(read.claims["iss"])) return undefined;
    const named = keys.filter(({ id }) => (read.header["kid"] ?? id) === id);
    if (named.length === 0) throw new InvalidTokenError("invalid signature, no keys found");
    if (!named.some((key) => isSignedBy(read, key))) {
      throw new InvalidTokenError("go-jose/go-jose: error in cryptographic primitive");
    }
    this.#known.set(digest, { claims: read.claims, until: this.now() + KEPT_MS });
    return read.claims;
  }
}
