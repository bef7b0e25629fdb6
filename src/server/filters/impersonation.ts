import { badRequest } from "../../machinery/errors/status-error.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import { authenticated, type User } from "../request/user.js";

const PREFIX = "impersonate-";
const EXTRA = "impersonate-extra-";

/** `Impersonate-*` headers: the request goes on as the user they name. Who may do so is authorization's to say. */
export const impersonation: Filter = (next) => (request) => {
  const names = Object.keys(request.exchange.headers).filter((key) => key.startsWith(PREFIX));
  return names.length === 0 ? next(request) : impersonated(next, request, names);
};

async function impersonated(next: Handler, request: ApiRequest, names: readonly string[]): Promise<void> {
  const { headers } = request.exchange;
  const name = headers["impersonate-user"];
  const others = names.some((key) => key === "impersonate-group" || key === "impersonate-uid" || key.startsWith(EXTRA));
  if (name === undefined || name === "") {
    if (others) throw badRequest("requested impersonation of groups, uid or extra without a user");
    await next(request);
    return;
  }
  const extra = Object.fromEntries(
    names
      .filter((key) => key.startsWith(EXTRA))
      .map((key) => [unescapeKey(key.slice(EXTRA.length)), list(headers[key])]),
  );
  const user: User = {
    name,
    uid: headers["impersonate-uid"],
    groups: groupsOf(name, list(headers["impersonate-group"])),
    extra,
  };
  await next(request.with({ user: name === "system:anonymous" ? user : authenticated(user) }));
}

/** Percent signs that mean nothing are part of the key. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

const list = (value: string | undefined): readonly string[] =>
  (value ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

/** A service account is always in the groups of its kind and namespace. */
function groupsOf(name: string, asked: readonly string[]): readonly string[] {
  const [system, kind, namespace] = name.split(":");
  if (asked.length > 0 || system !== "system" || kind !== "serviceaccount" || namespace === undefined) return asked;
  return ["system:serviceaccounts", `system:serviceaccounts:${namespace}`];
}
