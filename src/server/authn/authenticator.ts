import type { Exchange } from "../request/exchange.js";
import type { AuthenticatedUser } from "../request/user.js";

/** Says who a request comes from; undefined when it carries nothing this one knows. Throws 401 for credentials that are wrong. */
export type Authenticator = (
  exchange: Exchange,
) => AuthenticatedUser | undefined | Promise<AuthenticatedUser | undefined>;

/** The first that knows the caller decides. */
export function firstOf(authenticators: readonly Authenticator[]): Authenticator {
  return async (exchange) => {
    for (const authenticator of authenticators) {
      const found = authenticator(exchange);
      const user = found instanceof Promise ? await found : found;
      if (user !== undefined) return user;
    }
    return undefined;
  };
}
