import type { SigningKey } from "../../machinery/jwt/jws.js";

/** What tokens of service accounts are signed by, and say. */
export interface TokenIssuer {
  /** A URL: the claim "iss". */
  readonly url: string;
  /** Whom a token is for when nobody says, and what the API itself takes tokens for. */
  readonly audiences: readonly string[];
  readonly key: SigningKey;
}
