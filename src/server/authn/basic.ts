import { createHash, timingSafeEqual } from "node:crypto";
import { unauthorized } from "../../machinery/errors/status-error.js";
import type { AuthenticatedUser } from "../request/user.js";
import type { Authenticator } from "./authenticator.js";

/** A user who shows a password. */
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
      const user: AuthenticatedUser = { name, groups, ...(uid !== undefined && { uid }) };
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
