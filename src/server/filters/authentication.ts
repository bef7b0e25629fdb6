import { isUnauthorized, unauthorized } from "../../machinery/errors/status-error.js";
import type { Anonymous } from "../authn/authentication.js";
import type { Authenticator } from "../authn/authenticator.js";
import { ignoredHeaderWarning } from "../authn/authorization-header.js";
import { type FrontProxyHeaders, isFrontProxyHeader, STANDARD_HEADERS } from "../authn/request-header.js";
import type { Measuring, ServerMeasures } from "../metrics/measures.js";
import type { ApiRequest, Filter } from "../request/api-request.js";
import type { RefuseRequest } from "../request/request-audit.js";
import type { Exchange } from "../request/exchange.js";
import { ANONYMOUS, authenticated, type AuthenticatedUser } from "../request/user.js";
import { respondTooMany } from "./max-in-flight.js";
import { passed } from "./tracing.js";

/** How many requests may wait for their authentication, by webhooks above all, before it is known whose they are. */
const WAITING = 2000;

/**
 * Puts the caller on the request, and takes the credentials off it: nothing behind this filter sees a token, or headers by which
 * a client could claim to be a front proxy. A request without credentials is `anonymous`'s, by its path, or a 401, which `refuse` answers and
 * records where a server keeps an audit log. Beyond {@link WAITING} a request is a 429.
 */
export function authentication(
  { authenticator, anonymous, proxyHeaders }: Identity,
  measuring?: Measuring,
  refuse?: RefuseRequest,
): Filter {
  const isProxyHeader = proxyHeaderTest(proxyHeaders ?? (() => undefined));
  const isCredential = (header: string): boolean => header === "authorization" || isProxyHeader(header);
  let waiting = 0;
  return (next) => async (request) => {
    const { exchange } = request;
    if (waiting >= WAITING) return respondTooMany(request);
    waiting += 1;
    let found: AuthenticatedUser | undefined;
    try {
      const measures = measuring?.on;
      const ask = () =>
        measures === undefined
          ? authenticator(exchange, request)
          : measured(measures, request, authenticator, anonymous);
      found = await (exchange.headers["traceparent"] === undefined ? ask() : passed(request, ask));
    } catch (error) {
      if (refuse === undefined || !isUnauthorized(error)) throw error;
      return await refuse(request, error.status);
    } finally {
      waiting -= 1;
      exchange.authenticated?.(found !== undefined && isKnown(found));
    }
    if (found === undefined) request.warnings.add(ignoredHeaderWarning(exchange) ?? "");
    const user = found ?? anonymous(request.info.path);
    if (user === undefined) {
      if (refuse === undefined) throw unauthorized();
      return refuse(request, unauthorized().status);
    }
    removeHeaders(exchange, isCredential);
    hideWebSocketToken(exchange);
    if (found === undefined) return next(request.with({ user }));
    const { warnings = [], annotations = {}, ...caller } = found;
    for (const warning of warnings) request.warnings.add(warning);
    for (const [key, value] of Object.entries(annotations)) request.annotations.add(key, value);
    await next(request.with({ user: authenticated(caller) }));
  };
}

/** Says who a request comes from. */
interface Identity {
  readonly authenticator: Authenticator;
  readonly anonymous: Anonymous;
  readonly proxyHeaders: (() => FrontProxyHeaders | undefined) | undefined;
}

/** Authenticates and counts the attempt. A caller without credentials who is let in has succeeded, as in kube-apiserver. */
async function measured(
  measures: ServerMeasures,
  request: ApiRequest,
  authenticator: Authenticator,
  anonymous: Anonymous,
): Promise<AuthenticatedUser | undefined> {
  const began = measures.now();
  try {
    const found = await authenticator(request.exchange, request);
    const user = found ?? anonymous(request.info.path);
    measures.authenticated(user === undefined ? "failure" : "success", user?.name, measures.now() - began);
    return found;
  } catch (error) {
    measures.authenticated("error", undefined, measures.now() - began);
    throw error;
  }
}

/** Tests for the standard headers and for those of the proxy that is known at the time. */
function proxyHeaderTest(current: () => FrontProxyHeaders | undefined): (header: string) => boolean {
  const isStandard = isFrontProxyHeader(STANDARD_HEADERS);
  let known: FrontProxyHeaders | undefined;
  let isOwn: (header: string) => boolean = () => false;
  return (header) => {
    const headers = current();
    if (headers !== known) {
      known = headers;
      isOwn = headers === undefined ? () => false : isFrontProxyHeader(headers);
    }
    return isStandard(header) || isOwn(header);
  };
}

const isKnown = ({ name, groups }: AuthenticatedUser): boolean =>
  name !== ANONYMOUS.name && !groups.includes("system:unauthenticated");

/** What a connection is proxied to chooses among the other subprotocols. */
function hideWebSocketToken({ headers, webSocket }: Exchange): void {
  if (webSocket?.bearerToken === undefined) return;
  (headers as Record<string, string>)["sec-websocket-protocol"] = webSocket.subprotocols.join(", ");
}

/** Takes headers off an exchange, by their lower-case names, so that nothing that handles it later can read them. */
function removeHeaders(exchange: Exchange, test: (name: string) => boolean): void {
  const headers = exchange.headers as Record<string, string | undefined>;
  for (const name of Object.keys(headers)) if (test(name)) delete headers[name];
}
