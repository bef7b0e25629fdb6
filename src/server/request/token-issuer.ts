import type { SigningKey, VerificationKey } from "../../machinery/jwt/jws.js";

/** Issues the tokens of service accounts. */
export interface TokenIssuer {
  /** A URL: the claim "iss". */
  readonly url: string;
  /** The default audiences of a new token, and those that the API accepts. */
  readonly audiences: readonly string[];
  readonly key: SigningKey;
  /** The keys of tokens that the server accepts. Default: {@link key} alone. */
  readonly verificationKeys?: readonly VerificationKey[];
}

export const verificationKeysOf = ({ key, verificationKeys = [key] }: TokenIssuer): readonly VerificationKey[] =>
  verificationKeys;
