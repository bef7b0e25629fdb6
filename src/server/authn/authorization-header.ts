import type { FieldsOf } from "../../machinery/meta/received.js";
import { createHash, timingSafeEqual } from "node:crypto";
import { unauthorized } from "../../machinery/errors/status-error.js";
import type { User, AuthenticatedUser, AuthenticatedToken, TokenUnion } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";
import type { CancellationToken } from "../../base/async/cancellation.js";
import type { Exchange } from "../request/exchange.js";

/** A user who authenticates with a password. */
export interface BasicUser {
  readonly password: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
}

/**
 * `Authorization: Basic`, by the users' names. Kubernetes has it no more: a server has it only where its caller adds it to
 * `authenticators`. A wrong password and an unknown name get the same answer.
 */
export function basicAuthenticator(users: Readonly<Record<string, BasicUser>>): Authenticator {
  const known = new Map(
    Object.entries(users).map(([name, { password, uid, groups = [] }]) => {
      const user: AuthenticatedUser = { name, groups, ...(uid !== undefined && ({ uid } satisfies FieldsOf<User>)) };
      return [name, { digest: digest(password), user }] as const;
    }),
  );
  return ({ headers }) => {
    const encoded = /^basic +(\S+)$/i.exec(headers["authorization"]?.trim() ?? "")?.[1];
    if (encoded === undefined) return undefined;
    const [, name = "", password] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, "base64").toString("utf8")) ?? [];
    const found = known.get(name);
    const given = digest(password ?? "");
    const isRight = timingSafeEqual(found?.digest ?? given, given);
    if (found === undefined || password === undefined || !isRight) throw unauthorized();
    return found.user;
  };
}

const digest = (text: string): Buffer => createHash("sha256").update(text).digest();

const EXTRA_SPACE = "the provided Authorization header contains extra space before the bearer token, and is ignored";

/** Authenticates `Authorization: Bearer TOKEN`, or a WebSocket's token. A token that no lookup accepts is a 401, not an anonymous request. */
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

/** The warning to a client whose Authorization header is ignored; undefined where it is not. */
export function ignoredHeaderWarning({ headers }: Exchange): string | undefined {
  return /^bearer {2}/i.test(headers["authorization"]?.trim() ?? "") ? EXTRA_SPACE : undefined;
}
