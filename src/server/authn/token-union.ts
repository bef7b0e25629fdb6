import { throwIfCancelled } from "../../base/async/cancellation.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { InvalidTokenError, type TokenLookup, type TokenUnion } from "../request/user.js";

/**
 * Asks the lookups in order; the first that knows a valid token's user decides, whatever others found wrong. `own` are the
 * API's audiences: a lookup that does not know audiences answers for these.
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
