import type { Timers } from "../../base/time/timers.js";
import { authentication } from "../filters/authentication.js";
import { authorization as authorized } from "../filters/authorization.js";
import { type Availability, availability } from "../filters/availability.js";
import { cors } from "../filters/cors.js";
import { deadline } from "../filters/deadline.js";
import { probabilisticGoaway } from "../filters/goaway.js";
import { strictTransportSecurity } from "../filters/hsts.js";
import { impersonation } from "../filters/impersonation.js";
import { maxInFlight } from "../filters/max-in-flight.js";
import { answering, type FilterName, placed } from "../filters/own-filter.js";
import { panicRecovery } from "../filters/panic-recovery.js";
import { retryAfter } from "../filters/retry-after.js";
import { passTrace } from "../filters/tracing.js";
import type { OpenWatches } from "../filters/watch-termination.js";
import { chain, type Filter, type Handler } from "../request/api-request.js";
import { respondStatus } from "../endpoints/verbs/answer.js";
import type { Authorization } from "../authz/authorizer.js";
import type { Measuring } from "../metrics/measures.js";
import type { RequestIdentity } from "./request-identity.js";
import type { ServerConfig } from "./server-config.js";

interface ChainParts {
  readonly identity: RequestIdentity;
  readonly authorization: Authorization;
  readonly watches: OpenWatches;
  readonly timers: Timers;
  readonly measuring: Measuring;
  /** Whether requests of clients are served now. */
  readonly available: () => Availability;
}

/** Handlers that run the whole chain of filters before `last`. */
export interface FilteredHandlers {
  /** For clients. */
  readonly clients: Handler;
  /** For the server's own parts: at all times, also before it is ready and while it stops. */
  readonly own: Handler;
}

/** Wraps `last` in the filters of a server: once for its clients, once for its own parts. Both chains share the limits of requests in flight. */
export function filterChains(config: ServerConfig, parts: ChainParts, last: Handler): FilteredHandlers {
  const filters = serverFilters(config, parts);
  const always: Filter = (next) => next;
  const own = { ...filters, availability: always, "retry-after": always };
  const outermost = config.outermost ?? [];
  const given = config.filters ?? [];
  return {
    clients: chain([...outermost, ...placed(given, filters)], last),
    own: chain([...outermost, ...placed(given, own)], last),
  };
}

/** The server's own filters by their names; what is not wanted is left out. */
function serverFilters(config: ServerConfig, parts: ChainParts): Partial<Record<FilterName, Filter>> {
  const { conduct = {}, reportError = () => {} } = config;
  const { corsAllowedOrigins = [], strictTransportSecurity: directives = [], goawayChance = 0 } = conduct;
  const { identity, authorization, available, watches, timers, measuring } = parts;
  const { audit, tracing } = config;
  const untraced = (_: string, filter: Filter): Filter => filter;
  const { part, beginning: begin } = tracing ?? { part: untraced, beginning: untraced };
  const recovery = panicRecovery(reportError, respondStatus);
  const refuse = audit?.refusing(respondStatus);
  return {
    "panic-recovery": recovery,
    ...(directives.length > 0 && { hsts: answering(strictTransportSecurity(directives), recovery) }),
    ...(conduct.shutdownSendRetryAfter === true && { "retry-after": retryAfter(() => available() === "stopping") }),
    availability: availability(available),
    ...(goawayChance > 0 && { goaway: answering(probabilisticGoaway(goawayChance, config.requestRandom), recovery) }),
    deadline: deadline(timers, conduct.requestTimeout, measuring, refuse),
    ...((conduct.shutdownWatchTerminationGracePeriod ?? 0) > 0 && { "watch-termination": watches.filter }),
    ...(corsAllowedOrigins.length > 0 && { cors: answering(cors(corsAllowedOrigins), recovery) }),
    authentication: begin("authentication", authentication(identity, measuring, refuse)),
    tracing: tracing === undefined ? passTrace : answering(tracing.filter, recovery),
    ...(audit !== undefined && { audit: part("audit", answering(audit.filter, recovery)) }),
    // As in kube-apiserver, the user that is impersonated counts for fairness.
    ...(config.fairness === undefined
      ? { "max-in-flight": maxInFlight(timers, config.inFlight, measuring) }
      : { "priority-and-fairness": part("priorityandfairness", config.fairness) }),
    impersonation: part("constrainedimpersonation", impersonation(authorization.authorize)),
    authorization: part("authorization", authorized(authorization.authorize, measuring)),
  };
}
