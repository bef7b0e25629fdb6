import { setMaxListeners } from "node:events";
import type { RuntimeConfig, ServedApi, TypeSource } from "../../api/facts/index.js";
import { publishedScheme } from "../../api/scheme/published.js";
import type { Clock } from "../../base/time/clock.js";
import type { Random } from "../../base/numbers/random.js";
import { systemTimers, type Timers } from "../../base/time/timers.js";
import { uuid } from "../../base/numbers/uuid.js";
import { workTimers } from "../../base/time/work-timers.js";
import type { Environment } from "../../client/surroundings.js";
import type { Transport } from "../../client/transport/transport.js";
import type { Scheme } from "../../machinery/scheme/scheme.js";
import { AdmissionChain } from "../admission/chain.js";
import { type AdmissionOptions, enabledPlugins } from "../admission/enabled-plugins.js";
import { ApiRegistry, type ApiSnapshot } from "../api-registry/api-registry.js";
import type { ResourceDefinition } from "../api-registry/resource-definition.js";
import {
  anonymousEverywhere,
  anonymousProbes,
  type Authentication,
  type AuthenticationContext,
} from "../authn/authentication.js";
import { type Authenticator, firstOf, tokenUnion } from "../authn/authenticator.js";
import {
  alwaysAllow,
  type Authorization,
  type AuthorizationContext,
  type AuthorizationMode,
  type Authorizer,
  chainOf,
  privilegedGroup,
  probesUntil,
} from "../authz/authorizer.js";
import { bearerToken } from "../authn/authorization-header.js";
import { type MarkUsed, secretTokens, markUsedToken } from "../authn/secret-token.js";
import { type FindObject, serviceAccountTokens } from "../authn/service-account-token.js";
import { clientCertificate, withoutOwnCertificate } from "../authn/client-certificate.js";
import { discoveryHandlers } from "../endpoints/non-resource/discovery.js";
import { type HealthCheck, healthHandler } from "../endpoints/non-resource/health.js";
import { LatestDocuments } from "../endpoints/non-resource/cached-document.js";
import { openApiHandlers } from "../endpoints/non-resource/openapi.js";
import { openIdHandlers } from "../endpoints/non-resource/openid-metadata.js";
import { rootPaths } from "../endpoints/non-resource/root-paths.js";
import { version } from "../endpoints/non-resource/version.js";
import type { ResourceRecord } from "../endpoints/resource-record.js";
import { type ClusterNetwork, hostsOf } from "../kubelet/cluster-network.js";
import { OpenCharges } from "../registry/open-charges.js";
import { servedKinds } from "../endpoints/served-kinds.js";
import type { StorageMediaType } from "../endpoints/serializers/serializer.js";
import { respondStatus } from "../endpoints/verbs/answer.js";
import { authentication } from "../filters/authentication.js";
import { type Availability, availability } from "../filters/availability.js";
import { deadline } from "../filters/deadline.js";
import { authorization as authorized } from "../filters/authorization.js";
import { impersonation } from "../filters/impersonation.js";
import { type InFlightLimits, maxInFlight } from "../filters/max-in-flight.js";
import { type OwnFilter, placed } from "../filters/own-filter.js";
import { panicRecovery } from "../filters/panic-recovery.js";
import { type ApiRequest, chain, type Filter, type Handler, newApiRequest } from "../request/api-request.js";
import { hasBadEscape } from "../request/request-info.js";
import type { TokenIssuer } from "../request/token-issuer.js";
import type { TokenLookup, TokenUnion } from "../request/user.js";
import type { Exchange } from "../request/exchange.js";
import { respondText } from "../request/respond.js";
import type { Storage } from "../storage/create-storage.js";
import { type LocateService, locateByEndpoints } from "../webhook/service-address.js";
import { WebhookClients } from "../webhook/webhook-clients.js";
import type { BootSequence } from "./boot-sequence.js";
import { director, operationsFor } from "./director.js";
import { RequestsUnderWay } from "./requests-under-way.js";
import { type Fence, inProcessTransport } from "./transport/in-process.js";

export interface ServerConfig {
  readonly storage: Storage;
  /** What the resources are beyond their facts. A resource without a record has generic behaviour only. */
  readonly records: readonly ResourceRecord[];
  /** Holds every version that is served or may be stored. Default: the versions that 1.36 can serve. */
  readonly scheme?: Scheme;
  /** The types of built-in resources, for OpenAPI. Default: those that 1.36 publishes. */
  readonly types?: TypeSource;
  /** Turns versions of built-in resources on and off; see {@link RuntimeConfig}. Default: the stable versions. */
  readonly runtimeConfig?: RuntimeConfig;
  /** Resources beside the built-in ones. */
  readonly resources?: readonly ResourceDefinition[];
  /** The form that objects are stored in; both forms are read. Default: "application/json". */
  readonly storageMediaType?: StorageMediaType;
  readonly clock: Clock;
  readonly random: Random;
  /**
   * Makes audit ids and spreads the ends of watches. It is not {@link random}, because requests would then shift the uids
   * and names that a test fixes.
   */
  readonly requestRandom: Random;
  /** Ends requests and watches that take too long. Default: the process's. */
  readonly timers?: Timers;
  readonly tokens: readonly TokenLookup[];
  /** Issues and verifies service account tokens. Left out: the server accepts none. */
  readonly serviceAccounts?: TokenIssuer;
  /** Reaches the agents of nodes and the addresses of pods. Default: over the machine's network, without a client certificate. */
  readonly network?: ClusterNetwork | undefined;
  /** Which admission plugins run. Default: those that kube-apiserver runs by default. */
  readonly admission?: AdmissionOptions;
  /**
   * Finds where the webhook behind a service listens. Default: at the addresses of the service's EndpointSlices and Endpoints, as if
   * the server were in their network.
   */
  readonly locateService?: LocateService;
  /** Proxies and authorities for calls of webhooks; see {@link WebhookSurroundings}. Default: none. */
  readonly env?: Environment;
  /** Returns the "host:port" that /api tells clients; "" without a socket. */
  readonly serverAddress: () => string;
  /** The steps before the server serves requests. Left out: it serves at once. */
  readonly boot?: BootSequence;
  /** Receives exceptions that are no StatusError: faults of the server. */
  readonly reportError?: (error: unknown) => void;
  /** Say who a request comes from, after client certificates and before bearer tokens. */
  readonly authenticators?: readonly Authenticator[];
  /** What says who a request comes from beside client certificates, {@link tokens} and service accounts. */
  readonly authentication?: (context: AuthenticationContext) => Authentication;
  /** Say what a user may do, before those of {@link authorization}. */
  readonly authorizers?: readonly Authorizer[];
  /**
   * Makes the authorizers, in the order in which they are asked; before all of them, members of system:masters may do everything.
   * Left out, and without {@link authorizers}: every user may do everything.
   */
  readonly authorization?: (context: AuthorizationContext) => readonly AuthorizationMode[];
  /** Filters from outside the server, each with its place among the server's own. */
  readonly filters?: readonly OwnFilter[];
  /** How many requests run at once. Default: kube-apiserver's limits. */
  readonly inFlight?: InFlightLimits | undefined;
  /** The outermost filters, of the composition itself: nothing catches what they throw. */
  readonly outermost?: readonly Filter[];
  /** Checks beside the server's own: of /healthz, /livez and /readyz. */
  readonly healthChecks?: readonly HealthCheck[];
}

/** The API server, independent of the transport of its exchanges. */
export interface Server {
  /** The resources that are served; more can be installed while the server runs. */
  readonly registry: ApiRegistry;
  /** Calls webhooks. Its connections close when the server has stopped. */
  readonly webhooks: WebhookClients;
  readonly stopping: AbortSignal;
  /** Says what users may do, as the server's filters ask it. */
  readonly authorization: Authorization;
  /** Says whose a bearer token is, as the server's filters ask it. */
  readonly tokens: TokenUnion;
  /** Handles one exchange to its end. */
  handle(exchange: Exchange): Promise<void>;
  /**
   * An in-process transport. Requests without an Authorization header come from `user`; without `user` they are anonymous.
   */
  transport(user?: { readonly commonName: string; readonly organizations: readonly string[] }): Transport;
  /**
   * An in-process transport for the server's own components. The server answers it before it is ready and while it stops. With a fence
   * it carries requests for as long as that is open.
   */
  loopback(fence?: Fence): Transport;
  /**
   * Fails /readyz at once and runs `preShutdown` while it still serves. Then it refuses new requests, ends watches and
   * resolves when the requests under way are answered. Idempotent.
   */
  stop(preShutdown?: () => Promise<void>): Promise<void>;
}

const LOOPBACK = { commonName: "system:apiserver", organizations: ["system:masters"] };

export function createServer(config: ServerConfig): Server {
  const { storage, clock, random, requestRandom, runtimeConfig = {}, storageMediaType = "application/json" } = config;
  const stopping = new AbortController();
  // Every exchange under way adds a listener.
  setMaxListeners(0, stopping.signal);
  const webhooks = new WebhookClients(
    {
      clock,
      timers: config.timers ?? systemTimers,
      env: config.env ?? {},
      locate: config.locateService ?? locateByEndpoints(() => registry.access, requestRandom),
      hosts: hostsOf(config.network),
    },
    requestRandom,
  );
  const authorizers = authorizersOf(config, {
    get objects() {
      return registry.access;
    },
    clock,
  });
  const everyoneMayAll = authorizers.every(({ name }) => name === alwaysAllow.name);
  const before = everyoneMayAll ? [] : [privilegedGroup, probesUntil(() => config.boot?.done !== false)];
  const authorization = chainOf([...before, ...authorizers]);
  const registry: ApiRegistry = new ApiRegistry({
    storage,
    records: config.records,
    clock,
    random,
    requestRandom,
    // A watch keeps its process alive.
    watchTimers: config.timers ?? workTimers,
    runtimeConfig,
    storageMediaType,
    scheme: config.scheme ?? publishedScheme(),
    types: config.types,
    admission: new AdmissionChain(enabledPlugins(config.admission ?? {}), {
      get objects() {
        return registry.access;
      },
      random,
      webhooks,
      kinds: servedKinds(() => registry.current),
      openCharges: new OpenCharges({ internal: (kind) => registry.internal(kind) }, clock),
      authorize: authorization.authorize,
      clock,
      client: () => loopback(),
    }),
    authorization,
  });
  registry.install(...(config.resources ?? []));
  const report = config.reportError ?? (() => {});
  const issuer = config.serviceAccounts;
  const find: FindObject = (resource, namespace, name) => registry.access.get("", resource, namespace, name);
  const now = () => clock.now();
  const markUsed: MarkUsed = (secret, day) => markUsedToken(loopback(), secret, day, report);
  const authn = config.authentication?.({ find, now }) ?? {};
  const tokens = [
    ...config.tokens,
    ...(authn.localTokens ?? []),
    ...(issuer === undefined
      ? []
      : // A token that was verified is known by its digest alone; the other lookup reads each.
        [serviceAccountTokens(issuer, find, now), secretTokens(issuer, { find, now, markUsed })]),
    ...(authn.tokens ?? []),
  ];
  const union = tokenUnion(tokens, issuer?.audiences ?? []);
  // kube-apiserver's order: what is known here before what others are asked about.
  const authenticator: Authenticator = firstOf([
    ...(authn.frontProxy === undefined ? [] : [authn.frontProxy.authenticator]),
    config.network?.kubeletClient === undefined ? clientCertificate : withoutOwnCertificate(clientCertificate),
    ...(config.authenticators ?? []),
    bearerToken(union),
  ]);
  const anonymous = everyoneMayAll ? anonymousProbes : (authn.anonymous ?? anonymousEverywhere);
  let terminating = false;
  const shutdown: HealthCheck = {
    name: "shutdown",
    check: () => (terminating ? Promise.reject(new Error("process is shutting down")) : Promise.resolve()),
  };
  const available = (): Availability => {
    if (stopping.signal.aborted) return "stopping";
    return config.boot?.done === false ? "starting" : "serving";
  };
  const outermost = [...(config.outermost ?? []), panicRecovery(report, respondStatus)];
  const operations = operationsFor({
    resource: (groupVersion, resource) => registry.current.find(groupVersion, resource),
    authorization,
    tokens: union,
    network: config.network ?? {},
    serviceAccounts: issuer && { issuer, random },
  });
  const documents = new LatestDocuments();
  const directors = new WeakMap<ServedApi, Handler>();
  /** The API as of now, with a director of requests for it. */
  const current = (): ServedApi => {
    const snapshot = registry.current;
    if (!directors.has(snapshot.served)) {
      const elsewhere = nonResource(config, registry, snapshot, documents, shutdown);
      directors.set(snapshot.served, director(snapshot, operations, elsewhere));
    }
    return snapshot.served;
  };
  const direct: Handler = async (request) => directors.get(request.api)?.(request);
  const inFlight = maxInFlight(config.timers ?? systemTimers, config.inFlight);
  const filters = (available: Filter) =>
    placed(config.filters ?? [], {
      availability: available,
      deadline: deadline(config.timers ?? systemTimers),
      authentication: authentication(authenticator, anonymous, authn.frontProxy?.headers),
      "max-in-flight": inFlight,
      impersonation: impersonation(authorization.authorize),
      authorization: authorized(authorization.authorize),
    });
  const underWay = new RequestsUnderWay();
  const tracked =
    (handler: Handler) =>
    (exchange: Exchange): Promise<void> => {
      const request = newApiRequest(exchange, current(), clock.now(), uuid(requestRandom));
      const running = handler(request);
      underWay.add(exchange, running);
      return running;
    };
  const handle = tracked(chain([...outermost, ...filters(availability(available))], direct));
  const handleOwn = tracked(chain([...outermost, ...filters((next) => next)], direct));
  const closed = new AbortController();
  const signals = { stopping: stopping.signal, closed: closed.signal };
  const loopback = (fence?: Fence) =>
    inProcessTransport({ handle: handleOwn, clientCertificate: LOOPBACK, ...signals, fence });
  let stopped: Promise<void> | undefined;
  const stop = async (preShutdown?: () => Promise<void>): Promise<void> => {
    terminating = true;
    await preShutdown?.();
    stopping.abort();
    await underWay.drain();
    closed.abort();
    await webhooks.close();
  };
  return {
    registry,
    webhooks,
    authorization,
    tokens: union,
    stopping: stopping.signal,
    handle,
    transport: (user) => inProcessTransport({ handle, clientCertificate: user, ...signals }),
    loopback,
    stop: (preShutdown) => (stopped ??= stop(preShutdown)),
  };
}

/** The caller's authorizers and those of the configuration; where there are none, every user may do everything. */
function authorizersOf(
  { authorizers = [], authorization }: ServerConfig,
  context: AuthorizationContext,
): readonly AuthorizationMode[] {
  const own = authorizers.map((authorize, index) => ({ name: `authorizer-${index + 1}`, authorize }));
  const modes = [...own, ...(authorization?.(context) ?? [])];
  return modes.length === 0 ? [alwaysAllow] : modes;
}

function nonResource(
  config: ServerConfig,
  registry: ApiRegistry,
  { served: api }: ApiSnapshot,
  documents: LatestDocuments,
  shutdown: HealthCheck,
): Handler {
  const { storage, boot, serverAddress, serviceAccounts } = config;
  const ping: HealthCheck = { name: "ping", check: () => Promise.resolve() };
  const etcd: HealthCheck = {
    name: "etcd",
    check: () => storage.check(),
  };
  const own = config.healthChecks ?? [];
  const healthy = [ping, etcd, ...own, ...(boot?.checks ?? [])];
  const root = rootPaths(api);
  const lookups = [
    (path: string) => (path === "/version" || path === "/version/" ? version : undefined),
    healthHandler("/healthz", () => [...healthy, ...resourcesCheck(registry)]),
    healthHandler("/livez", () => [ping, etcd, ...own]),
    healthHandler("/readyz", () => [...healthy, ...resourcesCheck(registry), shutdown]),
    discoveryHandlers(api, serverAddress),
    openApiHandlers(api, documents),
    ...(serviceAccounts === undefined ? [] : [openIdHandlers(serviceAccounts, serverAddress)]),
    (path: string) => (path === "/" ? root : undefined),
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
    if (hasBadEscape(path)) return respondText(request, 400, "400 Bad Request");
    return respondText(request, 404, "404 page not found\n");
  };
}

/** Fails while a part of the server reads a resource that is not installed; kube-apiserver has no such check, so that it is not listed before. */
function resourcesCheck(registry: ApiRegistry): readonly HealthCheck[] {
  const { missing } = registry;
  if (missing.length === 0) return [];
  const fault = new Error(`the server reads resources that are not installed: ${missing.join(", ")}`);
  return [{ name: "api-resources", check: () => Promise.reject(fault) }];
}
