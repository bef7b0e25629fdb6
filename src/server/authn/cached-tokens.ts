import { createHash } from "node:crypto";
import { Lru } from "../../base/lru.js";
import type { AuthenticatedToken, TokenLookup } from "../request/user.js";

export interface CacheTimes {
  /** How long a user that was found stays known, in milliseconds; 0: not at all. */
  readonly success: number;
  /** How long a token that nothing knows stays unknown. A look-up that failed is not remembered. */
  readonly failure: number;
}

const MOST_TOKENS = 32 * 1024;

/**
 * A lookup that asks the other one once for each token and set of audiences as long as the answer is fresh, also when many
 * requests ask at once. It keeps digests, and no token.
 */
export function cachedTokens(lookup: TokenLookup, { success, failure }: CacheTimes, now: () => number): TokenLookup {
  const known = new Lru<string, { readonly user: AuthenticatedToken | undefined; readonly until: number }>(MOST_TOKENS);
  const underWay = new Map<string, Promise<AuthenticatedToken | undefined>>();
  return (token, audiences) => {
    const digest = createHash("sha256")
      .update(JSON.stringify([token, audiences ?? null]))
      .digest("base64");
    const found = known.get(digest);
    if (found !== undefined && found.until > now()) return Promise.resolve(found.user);
    const running = underWay.get(digest);
    if (running !== undefined) return running;
    const asking = lookup(token, audiences)
      .then((user) => {
        const time = user === undefined ? failure : success;
        if (time > 0) known.set(digest, { user, until: now() + time });
        return user;
      })
      .finally(() => underWay.delete(digest));
    underWay.set(digest, asking);
    return asking;
  };
}
