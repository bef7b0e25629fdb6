import { goQuote } from "../../base/go-quote.js";
import { compareKeys } from "../../base/key-order.js";
import { badRequest } from "../../machinery/errors/status-error.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../machinery/validation/names.js";
import { ANONYMOUS, authenticated, type User } from "../request/user.js";

const PREFIX = "impersonate-";
const EXTRA = "impersonate-extra-";

/** `Impersonate-*` headers: the request goes on as the user they name. Who may do so is authorization's to say. */
export const impersonation: Filter = (next) => (request) => {
  const names = Object.keys(request.exchange.headers).filter((key) => key.startsWith(PREFIX));
  return names.length === 0 ? next(request) : impersonated(next, request, names);
};

async function impersonated(next: Handler, request: ApiRequest, names: readonly string[]): Promise<void> {
  const { headers } = request.exchange;
  const { "impersonate-user": name = "", "impersonate-uid": uid = "", "impersonate-group": groups } = headers;
  const extras = names.filter((key) => key.startsWith(EXTRA));
  const extra = Object.fromEntries(extras.map((key) => [unescapeKey(key.slice(EXTRA.length)), valuesOf(headers[key])]));
  const wanted: User = { name, uid: uid === "" ? undefined : uid, groups: valuesOf(groups), extra };
  if (name === "") {
    if (uid !== "" || groups !== undefined || extras.length > 0) {
      throw badRequest(`requested ${goText(wanted)} without impersonating a user name`);
    }
    await next(request);
    return;
  }
  const user = { ...wanted, groups: groupsOf(wanted) };
  if (user.groups.includes(UNAUTHENTICATED)) return next(request.with({ user }));
  const anonymous = { ...user, groups: [...user.groups, UNAUTHENTICATED] };
  await next(request.with({ user: name === ANONYMOUS.name ? anonymous : authenticated(user) }));
}

/** The group of those who are nobody in particular; who is in it is not authenticated as well. */
const UNAUTHENTICATED = "system:unauthenticated";

/** Go's %#v of the user. */
function goText({ uid = "", groups, extra = {} }: User): string {
  const texts = (values: readonly string[]): string => `{${values.map(goQuote).join(", ")}}`;
  const entries = Object.entries(extra).sort(([a], [b]) => compareKeys(a, b));
  const groupText = groups.length === 0 ? "(nil)" : texts(groups);
  const extraText = `{${entries.map(([key, values]) => `${goQuote(key)}:[]string${texts(values)}`).join(", ")}}`;
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:[]string${groupText}, Extra:map[string][]string${entries.length === 0 ? "(nil)" : extraText}}`;
}

/** Percent signs that mean nothing are part of the key. */
function unescapeKey(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** Values of their own are joined by a comma and a space; a comma alone is part of one. */
const valuesOf = (value: string | undefined): readonly string[] => (value === undefined ? [] : value.split(", "));

/**
 * Those that were asked for. Where none were, a service account is in the groups of its kind and namespace, and a node, if
 * nothing but its name was given, in that of the nodes.
 */
function groupsOf({ name, uid, groups, extra = {} }: User): readonly string[] {
  if (groups.length > 0) return groups;
  const [system, kind, first = "", second, ...more] = name.split(":");
  if (system !== "system") return [];
  if (kind === "serviceaccount" && second !== undefined && more.length === 0) {
    const isName = dns1123LabelErrors(first).length === 0 && dns1123SubdomainErrors(second).length === 0;
    return isName ? ["system:serviceaccounts", `system:serviceaccounts:${first}`] : [];
  }
  const isNode = kind === "node" && second === undefined && dns1123SubdomainErrors(first).length === 0;
  return isNode && uid === undefined && Object.keys(extra).length === 0 ? ["system:nodes"] : [];
}
