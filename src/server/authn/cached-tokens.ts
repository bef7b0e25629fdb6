import { createHash } from "node:crypto";
import { type CancellationToken, REQUEST_IS_OVER } from "../../base/async/cancellation.js";
import { Lru } from "../../base/collections/lru.js";
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
 * requests ask at once: the other lookup is cancelled when the last of them is. It keeps digests, and no token.
 */
export function cachedTokens(lookup: TokenLookup, { success, failure }: CacheTimes, now: () => number): TokenLookup {
  const known = new Lru<string, { readonly user: AuthenticatedToken | undefined; readonly until: number }>(MOST_TOKENS);
  const underWay = new Map<string, SharedLookup>();
  return (token, audiences, request) => {
    const digest = createHash("sha256")
      .update(JSON.stringify([token, audiences ?? null]))
      .digest("base64");
    const found = known.get(digest);
    if (found !== undefined && found.until > now()) return Promise.resolve(found.user);
    let running = underWay.get(digest);
    if (running === undefined || running.isCancelled) {
      const started = new SharedLookup();
      running = started;
      underWay.set(digest, started);
      started.result = lookup(token, audiences, started)
        .then((user) => {
          const time = user === undefined ? failure : success;
          if (time > 0) known.set(digest, { user, until: now() + time });
          return user;
        })
        .finally(() => {
          if (underWay.get(digest) === started) underWay.delete(digest);
        });
    }
    return running.for(request);
  };
}

/** A lookup that several requests wait for. It is cancelled when all of them are. */
class SharedLookup implements CancellationToken {
  result: Promise<AuthenticatedToken | undefined> = Promise.resolve(undefined);
  readonly #ending = new AbortController();
  #waiting = 0;

  get isCancelled(): boolean {
    return this.#ending.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  /** The result, or a rejection with REQUEST_IS_OVER when this one request is cancelled before it is there. */
  for(request: CancellationToken | undefined): Promise<AuthenticatedToken | undefined> {
    this.#waiting += 1;
    if (request === undefined) return this.result;
    const { signal } = request;
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        reject(REQUEST_IS_OVER);
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#ending.abort(REQUEST_IS_OVER);
      };
      if (signal.aborted) leave();
      else signal.addEventListener("abort", leave, { once: true });
      const settle = (): void => signal.removeEventListener("abort", leave);
      this.result.finally(settle).then(resolve, reject);
    });
  }
}
