import { timingSafeEqual } from "node:crypto";
import { canonicalizeTime, TimeParseError } from "../../machinery/text/go/go-time.js";
import { object, text } from "../../machinery/meta/access.js";
import type { TokenLookup } from "../request/user.js";
import type { FindObject } from "./service-account-token.js";

const TOKEN = /^([a-z0-9]{6})\.([a-z0-9]{16})$/;
const EXTRA_GROUP = /^system:bootstrappers:[a-z0-9:-]{0,255}[a-z0-9]$/;
const TYPE = "bootstrap.kubernetes.io/token";

/**
 * Knows the tokens of new nodes: "abcdef.0123456789abcdef" is in the secret kube-system/bootstrap-token-abcdef. A token whose secret is
 * missing, deleted, expired, of another type or not for authentication is unknown; the server answers the same for all of them.
 */
export function bootstrapTokens(find: FindObject, now: () => number): TokenLookup {
  return async (token) => {
    const [, id = "", given = ""] = TOKEN.exec(token) ?? [];
    if (id === "") return undefined;
    const secret = await find("secrets", "kube-system", `bootstrap-token-${id}`);
    if (secret === undefined || secret.metadata?.deletionTimestamp !== undefined || secret["type"] !== TYPE) {
      return undefined;
    }
    const value = (key: string): string => Buffer.from(text(object(secret["data"])[key]), "base64").toString();
    if (!isSame(value("token-secret"), given) || value("token-id") !== id) return undefined;
    if (hasExpired(value("expiration"), now()) || value("usage-bootstrap-authentication") !== "true") return undefined;
    const groups = groupsOf(value("auth-extra-groups"));
    return groups && { name: `system:bootstrap:${id}`, groups };
  };
}

function isSame(kept: string, given: string): boolean {
  const [a, b] = [Buffer.from(kept), Buffer.from(given)];
  return a.length === b.length && timingSafeEqual(a, b);
}

/** What is no time has passed. */
function hasExpired(expiration: string, now: number): boolean {
  if (expiration === "") return false;
  try {
    return Date.parse(canonicalizeTime(expiration)) <= now;
  } catch (error) {
    if (error instanceof TimeParseError) return true;
    throw error;
  }
}

/** Undefined where one of the groups is none that a bootstrap token may give. */
function groupsOf(extra: string): readonly string[] | undefined {
  const groups = extra === "" ? [] : [...new Set(extra.split(","))];
  if (!groups.every((group) => EXTRA_GROUP.test(group))) return undefined;
  return ["system:bootstrappers", ...groups].sort();
}
