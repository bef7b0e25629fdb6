import { createHash, timingSafeEqual } from "node:crypto";
import { unauthorized } from "../../machinery/errors/status-error.js";
import { type AuthenticatedUser, InvalidTokenError, type TokenLookup, type User } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";

/** `Authorization: Bearer TOKEN`, or a WebSocket's token. A token nobody knows is a 401, not an anonymous request. */
export function bearerToken(lookups: readonly TokenLookup[]): Authenticator {
  return async (exchange) => {
    const header = exchange.headers["authorization"]?.trim() ?? "";
    const token = /^bearer +(\S+)/i.exec(header)?.[1] ?? exchange.webSocket?.bearerToken;
    if (token === undefined) return undefined;
    for (const lookup of lookups) {
      const user = await knownUser(lookup, token);
      if (user !== undefined) return user;
    }
    throw unauthorized();
  };
}

/** Why a token is refused is told to nobody who cannot ask for a TokenReview. */
async function knownUser(lookup: TokenLookup, token: string): Promise<AuthenticatedUser | undefined> {
  try {
    return await lookup(token);
  } catch (error) {
    if (error instanceof InvalidTokenError) throw unauthorized();
    throw error;
  }
}

/** A fixed list. Tokens are compared in constant time. */
export function staticTokens(users: ReadonlyMap<string, User>): TokenLookup {
  const entries = [...users].map(([token, user]) => ({ digest: digest(token), user }));
  return (token) => {
    const given = digest(token);
    return Promise.resolve(entries.find((entry) => timingSafeEqual(entry.digest, given))?.user);
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();
