import type { CancellationToken } from "../../base/async/cancellation.js";
import { unauthorized } from "../../machinery/errors/status-error.js";
import type { Exchange } from "../request/exchange.js";
import type { AuthenticatedToken, TokenUnion } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";

const EXTRA_SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** `Authorization: Bearer TOKEN`, or a WebSocket's token. A token that no lookup knows is a 401, not an anonymous request. */
export function bearerToken(tokens: TokenUnion): Authenticator {
  return (exchange, request) => {
    const token = tokenOf(exchange);
    return token === undefined ? undefined : known(tokens, token, request);
  };
}

async function known(
  tokens: TokenUnion,
  token: string,
  request: CancellationToken | undefined,
): Promise<AuthenticatedToken> {
  const { user } = await tokens(token, undefined, request);
  if (user === undefined) throw unauthorized();
  return user;
}

function tokenOf({ headers, webSocket }: Exchange): string | undefined {
  const [scheme = "", token = ""] = (headers["authorization"]?.trim() ?? "").split(" ", 2);
  return scheme.toLowerCase() === "bearer" && token !== "" ? token : webSocket?.bearerToken;
}

/** What a client should know of an Authorization header that is ignored; undefined for one that is not. */
export function ignoredHeaderWarning({ headers }: Exchange): string | undefined {
  return /^bearer {2}/i.test(headers["authorization"]?.trim() ?? "") ? EXTRA_SPACE : undefined;
}
