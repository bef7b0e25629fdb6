import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../base/clock.js";
import type { Random } from "../../base/random.js";
import type { Transport } from "../../client/transport/transport.js";
import type { AdmissionPlugin } from "../admission/admission.js";
import { admissionChain } from "../admission/admission.js";
import { namespaceLifecycle } from "../admission/namespace-lifecycle.js";
import { type Authenticator, firstOf } from "../authn/authenticator.js";
import { bearerToken } from "../authn/bearer-token.js";
import { clientCertificate } from "../authn/client-certificate.js";
import { discoveryHandlers } from "../endpoints/non-resource/discovery.js";
import { type HealthCheck, healthHandler } from "../endpoints/non-resource/health.js";
import { openApiHandler } from "../endpoints/non-resource/openapi.js";
import { rootPaths } from "../endpoints/non-resource/root-paths.js";
import { version } from "../endpoints/non-resource/version.js";
import { authentication } from "../filters/authentication.js";
import { deadline } from "../filters/deadline.js";
import { impersonation } from "../filters/impersonation.js";
import { panicRecovery } from "../filters/panic-recovery.js";
import type { StrategyLookup } from "../registry/strategy.js";
import { type ApiRequest, chain, type Filter, type Handler, newApiRequest } from "../request/api-request.js";
import type { TokenLookup } from "../request/user.js";
import type { Exchange } from "../request/exchange.js";
import { respondText } from "../request/respond.js";

import type { Storage } from "../storage/create-storage.js";
import { director } from "./director.js";
import { specialHandlers } from "./special-handlers.js";
import { ResourceMap } from "./resource-map.js";
import { inProcessTransport } from "./transport/in-process.js";

export interface ServerConfig {
  readonly storage: Storage;
  readonly strategies: StrategyLookup;
  readonly clock: Clock;
  readonly random: Random;
  readonly tokens: readonly TokenLookup[];
  /** Run after the server's own, in this order. */
  readonly admission?: readonly AdmissionPlugin[];
  /** "host:port", as /api tells clients; "" when there is no socket. */
  readonly serverAddress: () => string;
  /** Beyond storage and the server's own. */
  readonly readyChecks?: readonly HealthCheck[];
  /** Given what was thrown without being an answer: a fault of ours. */
  readonly reportError?: (error: unknown) => void;
  /** Outermost filters, before anything else sees a request. */
  readonly filters?: readonly Filter[];
}

/** The API server behind whatever carries its exchanges. */
export interface Server {
  readonly resources: ResourceMap;
  readonly stopping: AbortSignal;
  /** Answers one exchange to its end. */
  handle(exchange: Exchange): Promise<void>;
  /** A client's end in this process, as that user; without one the caller must bring credentials. */
  transport(user?: { readonly commonName: string; readonly organizations: readonly string[] }): Transport;
  /** Ends watches and waits until the requests under way are answered. Idempotent. */
  stop(): Promise<void>;
}

/** How long a stopping server waits for clients that do not read their answers. */
const STOP_MS = 5000;

export function createServer(config: ServerConfig): Server {
  const { storage, clock, random } = config;
  const stopping = new AbortController();
  // Every exchange under way listens.
  setMaxListeners(0, stopping.signal);
  const namespaces = () => resources.reader;
  const resources: ResourceMap = new ResourceMap({
    storage,
    strategies: config.strategies,
    clock,
    random,
    admission: admissionChain([
      namespaceLifecycle((name) => namespaces().get("", "namespaces", "", name)),
      ...(config.admission ?? []),
    ]),
  });
  const report = config.reportError ?? (() => {});
  const authenticator: Authenticator = firstOf([clientCertificate, bearerToken(config.tokens)]);
  const handler = chain(
    [...(config.filters ?? []), panicRecovery(report), deadline, authentication(authenticator), impersonation],
    director(resources, specialHandlers(resources, config.tokens), nonResource(config, storage)),
  );
  const underWay = new Set<Promise<void>>();
  const handle = (exchange: Exchange): Promise<void> => {
    const request = newApiRequest(exchange, clock.now(), randomUUID());
    const running = handler(request);
    const settled = running.catch(() => {}).finally(() => underWay.delete(settled));
    underWay.add(settled);
    return running;
  };
  return {
    resources,
    stopping: stopping.signal,
    handle,
    transport: (user) => inProcessTransport({ handle, clientCertificate: user, stopping: stopping.signal }),
    async stop() {
      stopping.abort();
      const answered = Promise.all(underWay);
      await Promise.race([answered, setTimeout(STOP_MS, undefined, { ref: false })]);
    },
  };
}

function nonResource(config: ServerConfig, storage: Storage): Handler {
  const ping: HealthCheck = { name: "ping", check: () => Promise.resolve() };
  const etcd: HealthCheck = {
    name: "etcd",
    check: async () => {
      await storage.currentRevision();
    },
  };
  const ready = [ping, etcd, ...(config.readyChecks ?? [])];
  const lookups = [
    (path: string) => (path === "/version" || path === "/version/" ? version : undefined),
    healthHandler("/healthz", ready),
    healthHandler("/livez", [ping, etcd]),
    healthHandler("/readyz", ready),
    discoveryHandlers(config.serverAddress),
    openApiHandler,
    (path: string) => (path === "/" ? rootPaths : undefined),
  ];
  return async (request: ApiRequest) => {
    const { path } = request.info;
    for (const lookup of lookups) {
      const handler = lookup(path);
      if (handler === undefined) continue;
      if (request.exchange.method !== "GET" && request.exchange.method !== "HEAD") {
        return respondText(request, 405, "405: Method Not Allowed");
      }
      return handler(request);
    }
    return respondText(request, 404, "404 page not found\n");
  };
}
