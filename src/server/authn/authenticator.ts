import { type CancellationToken, throwIfCancelled } from "../../base/async/cancellation.js";
import { isUnauthorized, unauthorized, isStatusError } from "../../machinery/errors/status-error.js";
import type { Exchange } from "../request/exchange.js";
import { type AuthenticatedUser, InvalidTokenError, type TokenLookup, type TokenUnion } from "../request/user.js";

/**
 * Authenticates a request; undefined when it has no credentials of this authenticator's kind. Throws 401, or an InvalidTokenError,
 * for invalid credentials. Cancelling the request ends its waits.
 */
export type Authenticator = (
  exchange: Exchange,
  request?: CancellationToken,
) => AuthenticatedUser | undefined | Promise<AuthenticatedUser | undefined>;

/**
 * The first that knows the caller decides. Where none does and one found wrong credentials, the request is a 401: it is not
 * anonymous. Why credentials are wrong is no part of the answer.
 */
export function firstOf(authenticators: readonly Authenticator[]): Authenticator {
  return async (exchange, request) => {
    let isWrong = false;
    for (const authenticator of authenticators) {
      try {
        const found = authenticator(exchange, request);
        const user = found instanceof Promise ? await found : found;
        if (user !== undefined) return user;
      } catch (error) {
        throwIfCancelled(request);
        if (!isUnauthorized(error) && !(error instanceof InvalidTokenError)) throw error;
        isWrong = true;
      }
    }
    if (isWrong) throw unauthorized();
    return undefined;
  };
}

/**
 * Asks the lookups in order; the first that finds a valid token's user wins, whatever errors others had. `own` are the API's
 * audiences: a lookup that does not support audiences counts as answering for these.
 */
export function tokenUnion(lookups: readonly TokenLookup[], own: readonly string[]): TokenUnion {
  return async (token, audiences, request) => {
    const reasons: string[] = [];
    for (const lookup of lookups) {
      try {
        const user = await lookup(token, audiences, request);
        if (user === undefined) continue;
        const good = user.audiences ?? (audiences ?? own).filter((one) => own.includes(one));
        if (audiences === undefined || audiences.length === 0 || good.length > 0) {
          return { user: { ...user, audiences: good }, reasons };
        }
      } catch (error) {
        throwIfCancelled(request);
        if (!(error instanceof InvalidTokenError) && !isStatusError(error)) throw error;
        reasons.push(error.message);
      }
    }
    return { reasons };
  };
}
