import { goQuote } from "../../base/text/go-quote.js";
import { compareKeys } from "../../base/collections/key-order.js";
import { badRequest } from "../../machinery/errors/status-error.js";
import type { Authorizer } from "../authz/authorizer.js";
import { type Impersonate, impersonator } from "../authz/impersonation/impersonator.js";
import { hasOnlyName, type WantedUser } from "../authz/impersonation/wanted-user.js";
import { RequestAttributes } from "../authz/request-attributes.js";
import type { ApiRequest, Filter, Handler } from "../request/api-request.js";
import { type HeaderValues, headerValues, unescapeKey } from "../request/header-values.js";

const PREFIX = "impersonate-";
const EXTRA = "impersonate-extra-";

/**
 * Handles the `Impersonate-*` headers: the request continues as the user that they name, if the authorizers allow the caller to
 * act as that user.
 */
export function impersonation(authorize: Authorizer): Filter {
  const impersonate = impersonator(authorize);
  return (next) => (request) => {
    const wanted = impersonatedUser(request);
    return wanted === undefined ? next(request) : impersonated(next, request, wanted, impersonate);
  };
}

/** The user that the headers name; without a name where they give none, undefined without such headers. */
export function impersonatedUser({ exchange }: ApiRequest): WantedUser | undefined {
  const names = Object.keys(exchange.headers).filter((key) => key.startsWith(PREFIX));
  return names.length === 0 ? undefined : wantedUser(headerValues(exchange), names);
}

async function impersonated(
  next: Handler,
  request: ApiRequest,
  wanted: WantedUser,
  impersonate: Impersonate,
): Promise<void> {
  if (wanted.name === "") {
    if (hasOnlyName(wanted)) return next(request);
    throw badRequest(`requested ${goText(wanted)} without impersonating a user name`);
  }
  const measured = request.audit?.measure("impersonation");
  const { user, constraint } = await impersonate(new RequestAttributes(request), wanted);
  measured?.();
  request.audit?.impersonated(user, constraint);
  await next(request.with({ user }));
}

function wantedUser(values: HeaderValues, names: readonly string[]): WantedUser {
  const [[name = ""], [uid = ""]] = [values("impersonate-user"), values("impersonate-uid")];
  const extras = names.filter((key) => key.startsWith(EXTRA));
  const extra = Object.fromEntries(extras.map((key) => [unescapeKey(key.slice(EXTRA.length)), values(key)]));
  return { name, uid: uid === "" ? undefined : uid, groups: values("impersonate-group"), extra };
}

/** Go's %#v of the user. */
function goText({ uid = "", groups, extra }: WantedUser): string {
  const texts = (values: readonly string[]): string => `{${values.map(goQuote).join(", ")}}`;
  const entries = Object.entries(extra).sort(([a], [b]) => compareKeys(a, b));
  const groupText = groups.length === 0 ? "(nil)" : texts(groups);
  const extraText = `{${entries.map(([key, values]) => `${goQuote(key)}:[]string${texts(values)}`).join(", ")}}`;
  return `&user.DefaultInfo{Name:"", UID:${goQuote(uid)}, Groups:[]string${groupText}, Extra:map[string][]string${entries.length === 0 ? "(nil)" : extraText}}`;
}
