import { newestRelease } from "../../api/facts/index.js";
import { uuid } from "../../base/numbers/uuid.js";
import { stopwatchOf } from "../../base/time/timers.js";
import { type DelegatedFlags, readDelegated } from "../../component/apiserver-flags/delegated.js";
import type { ComponentContext } from "../../component/component.js";
import type { Flags } from "../../component/flags/flag-set.js";
import type { AuthorityTexts } from "../../machinery/crypto/peer-authorities.js";
import { chainOf, privilegedGroup } from "../../server/authz/authorizer.js";
import { respondStatus } from "../../server/endpoints/verbs/answer.js";
import { authentication } from "../../server/filters/authentication.js";
import { authorization } from "../../server/filters/authorization.js";
import { panicRecovery } from "../../server/filters/panic-recovery.js";
import { logRequests } from "../../server/filters/request-log.js";
import { requestIdentity } from "../../server/generic/request-identity.js";
import { type ApiRequest, chain, type Handler, newApiRequest } from "../../server/request/api-request.js";
import type { Exchange } from "../../server/request/exchange.js";
import { openAuthentication, type OpenedAuthentication } from "../authentication/open-authentication.js";
import { openDelegatedAuthorization } from "../delegation/delegated-authorization.js";
import type { OpenedAuthorization } from "../open-authorization.js";
import { requestLogOf } from "../stages/log-life-cycle.js";
import { processRandom, processTimers } from "./surroundings.js";

/** Authenticates and authorizes the callers of a program's port by asking an API server. */
export interface PortAccess {
  /** Sign certificates of clients and of front proxies. */
  readonly authorities: AuthorityTexts;
  /** Passes a request on to `last` where its caller may have it. */
  guard(last: Handler): (exchange: Exchange) => Promise<void>;
  /** Follows the authorities. `changed` is called after they have changed. */
  start(changed: () => void): Promise<void>;
  close(): Promise<void>;
}

type Surroundings = Pick<ComponentContext, "clock" | "cwd" | "env" | "log" | "signal">;

/**
 * Connects to the API servers that the flags --authentication-* and --authorization-* name, which review the callers of a
 * program's port. Without a kubeconfig, and outside of a Pod, the port accepts no tokens, and serves only the paths of
 * --authorization-always-allow-paths. Rejects in the words of Kubernetes' programs.
 */
export async function openPortAccess(flags: Flags, surroundings: Surroundings): Promise<PortAccess> {
  const { clock, cwd, env, log, signal } = surroundings;
  const report = (error: unknown): void => log.error("server/serving.go:404", "Unhandled Error", error);
  const warn = (text: string): void => log.warn("options/authentication.go:370", text);
  const own = { clock, timers: processTimers, random: processRandom, env };
  const { authentication: callers, authorization: rights } = readDelegated(flags, cwd);
  const identity = await openIdentity(callers, { ...own, report, warn, signal });
  let opened: OpenedAuthorization;
  try {
    const reviews = { ...rights?.delegated, optional: true };
    opened = await openDelegatedAuthorization(reviews, { ...own, reportError: report, warn });
  } catch (error) {
    await identity.close();
    throw error;
  }
  return {
    get authorities() {
      return identity.authorities;
    },
    guard: (last) => guardedBy(identity, opened, last, { clock, log, report }),
    start: (changed) => identity.start(changed),
    async close() {
      await Promise.all([identity.close(), opened.close()]);
    },
  };
}

function openIdentity(
  callers: DelegatedFlags["authentication"],
  surroundings: Parameters<typeof openAuthentication>[2],
): Promise<OpenedAuthentication> {
  const options = { ...callers, delegated: { ...callers?.delegated, optional: true } };
  return openAuthentication(options, { serviceAccounts: undefined, clientCa: "" }, surroundings);
}

/** The filters of a program's port, in the order of Kubernetes' programs. */
function guardedBy(
  identity: OpenedAuthentication,
  rights: OpenedAuthorization,
  last: Handler,
  { clock, log, report }: Pick<ComponentContext, "clock" | "log"> & { readonly report: (error: unknown) => void },
): (exchange: Exchange) => Promise<void> {
  const objects = { find: () => Promise.resolve(undefined), markUsed: () => Promise.resolve(), everyoneMayAll: false };
  const callers = requestIdentity({ authentication: identity.parts, clock, tokens: [] }, objects);
  // Neither of the modes looks at stored objects.
  const modes = rights.modes({ objects: NO_OBJECTS, clock, release: newestRelease });
  const { authorize } = chainOf([privilegedGroup, ...modes]);
  const handle = chain(
    [
      panicRecovery(report, respondStatus),
      logRequests(requestLogOf(log), stopwatchOf(processTimers)()),
      authentication(callers),
      authorization(authorize),
    ],
    last,
  );
  return (exchange) => handle(requestOf(exchange, clock.now()));
}

/** No path of a program is one of an API. */
function requestOf(exchange: Exchange, received: number): ApiRequest {
  const request = newApiRequest(exchange, NO_API, received, uuid(processRandom));
  const verb = exchange.method.toLowerCase();
  return request.with({ info: { ...request.info, isResourceRequest: false, path: exchange.path, verb } });
}

const NO_API: ApiRequest["api"] = {
  release: newestRelease,
  epoch: 0,
  groups: [],
  resources: [],
  unavailable: new Set(),
  types: { definitionOf: () => undefined, kindsOf: () => [], structOf: () => undefined, unionsOf: () => undefined },
};

const NO_OBJECTS = {
  list: () => Promise.resolve([]),
  get: () => Promise.resolve(undefined),
  cached: { now: () => undefined },
};
