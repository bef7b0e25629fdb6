import { unauthorized } from "../../machinery/errors/status-error.js";
import type { Authenticator } from "../authn/authenticator.js";
import type { Filter } from "../request/api-request.js";
import { ANONYMOUS, authenticated } from "../request/user.js";

/** Paths a probe may read without credentials where there is no authorizer. */
const PUBLIC = /^\/(?:healthz|livez|readyz|version)(?:\/|$)/;

/**
 * Puts the caller on the request. A request without credentials is an anonymous one where `anonymous` says so, for the authorizers to
 * judge; elsewhere it is refused with 401 unless it asks for health or version.
 */
export function authentication(authenticator: Authenticator, anonymous: boolean): Filter {
  return (next) => async (request) => {
    const user = await authenticator(request.exchange);
    if (user === undefined && !anonymous && !PUBLIC.test(request.info.path)) throw unauthorized();
    if (user === undefined) return next(request.with({ user: ANONYMOUS }));
    const { warnings = [], ...caller } = user;
    for (const warning of warnings) request.warnings.add(warning);
    await next(request.with({ user: authenticated(caller) }));
  };
}
