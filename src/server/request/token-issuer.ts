import type { SigningKey, VerificationKey } from "../../machinery/crypto/jwt/jws.js";

/** Issues the tokens of service accounts. */
export interface TokenIssuer {
  /** A URL: the claim "iss" of new tokens. */
  readonly url: string;
  /** Issuers whose tokens the server accepts beside {@link url}: those of before. */
  readonly otherUrls?: readonly string[];
  /** The default audiences of a new token, and those that the API accepts. */
  readonly audiences: readonly string[];
  readonly key: SigningKey;
  /** The keys of tokens that the server accepts. Default: {@link key} alone. The list is another one when the keys have changed. */
  readonly verificationKeys?: readonly VerificationKey[];
  /** The longest validity of a token, in seconds: a request for more gets as much. Left out: any that a request may name. */
  readonly longestSeconds?: number | undefined;
  /** Whether the tokens that pods get by default are valid for a year, with a note when they are used after their hour. Default true. */
  readonly extendsExpiration?: boolean;
  /** Whether a token in a secret counts only as long as the secret and its account are there. Default true. */
  readonly looksUpSecrets?: boolean;
  /** What the discovery document names as the place of the keys. Default: this server's own. */
  readonly keysUrl?: string | undefined;
}

export const verificationKeysOf = ({ key, verificationKeys = [key] }: TokenIssuer): readonly VerificationKey[] =>
  verificationKeys;

export const isIssuedBy = (issuer: TokenIssuer, claimed: unknown): boolean =>
  claimed === issuer.url || (issuer.otherUrls ?? []).some((url) => url === claimed);
