import { type ServerGates, serverGates } from "../../api/gates/feature-gates.js";
import { setMaxListeners } from "node:events";
import { newestRelease, type Release, type ServedApi } from "../../api/facts/index.js";
import { publishedScheme } from "../../api/scheme/published.js";
import { once } from "../../base/async/once.js";
import { uuid } from "../../base/numbers/uuid.js";
import { headerText } from "../../base/text/header-text.js";
import { pause } from "../../base/time/pause.js";
import { systemTimers, type Timers, workTimers } from "../../base/time/timers.js";
import type { Environment } from "../../client/surroundings.js";
import type { ProcessHosts } from "../../client/transport/dial.js";
import type { Transport } from "../../client/transport/transport.js";
import { AdmissionChain } from "../admission/chain.js";
import { enabledPlugins } from "../admission/enabled-plugins.js";
import { ApiRegistry } from "../api-registry/api-registry.js";
import type { Authorization } from "../authz/authorizer.js";
import type { HealthCheck } from "../endpoints/non-resource/health.js";
import { servedKinds } from "../endpoints/served-kinds.js";
import type { Availability } from "../filters/availability.js";
import { OpenWatches } from "../filters/watch-termination.js";
import { withProcessWebhooks } from "../webhook/process-webhooks.js";
import { hostsOf } from "../kubelet/cluster-network.js";
import { Measuring } from "../metrics/measures.js";
import { OpenCharges } from "../registry/open-charges.js";
import { type Handler, newApiRequest } from "../request/api-request.js";
import type { Exchange } from "../request/exchange.js";
import type { TokenUnion } from "../request/user.js";
import { type LocateService, locateByEndpoints } from "../webhook/service-address.js";
import { WebhookClients } from "../webhook/webhook-clients.js";
import { type Delegate, unitedApi } from "./delegate.js";
import { director, operationsFor } from "./director.js";
import { type FilteredHandlers, filterChains } from "./filter-chain.js";
import { LifeCycle, type LifeCycleEvent } from "./life-cycle.js";
import { markUsedToken } from "../authn/secret-token.js";
import { NonResourcePaths } from "./non-resource-paths.js";
import type { OwnPaths } from "./own-paths.js";
import { type RequestIdentity, requestIdentity } from "./request-identity.js";
import { type RequestRights, requestRights } from "./request-rights.js";
import { RequestsUnderWay } from "./requests-under-way.js";
import type { ServerConfig } from "./server-config.js";
import { type Fence, inProcessTransport } from "./transport/in-process.js";

export type { ServerConfig } from "./server-config.js";

/** The API server, independent of the transport of its exchanges. */
export interface Server extends Delegate {
  /** The resources that are served; more can be installed while the server runs. */
  readonly registry: ApiRegistry;
  /** Paths that belong to no API; more can be added while the server runs. */
  readonly paths: OwnPaths;
  /** What has happened in the server's life. */
  readonly lifeCycle: LifeCycle;
  /** How services are reached, and what connects to them. */
  readonly services: ServiceNetwork;
  /** Calls webhooks. Its connections close when the server has stopped. */
  readonly webhooks: WebhookClients;
  readonly stopping: AbortSignal;
  /** Takes what the parts of the server measure. */
  readonly measuring: Measuring;
  /** Whether the server has authorizers. Else every user may do everything. */
  readonly asksForRights: boolean;
  /** Says what users may do, as the server's filters ask it. */
  readonly authorization: Authorization;
  /** The paths of the index at "/" that belong to no API, with all health checks. */
  indexPaths(): readonly string[];
  /** Says whose a bearer token is, as the server's filters ask it. */
  readonly tokens: TokenUnion;
  /** The version of Kubernetes that it is. */
  readonly release: Release;
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

/** The network by which a server reaches the services of its cluster. */
export interface ServiceNetwork {
  readonly locate: LocateService;
  /** Hosts of this process, and what connects to all others. */
  readonly hosts: ProcessHosts | undefined;
  /** The files of the system's authorities. */
  readonly env: Environment;
}

/** Creates a server. `onLifeCycle` is called with each event of its life. */
export function createServer(config: ServerConfig, onLifeCycle?: (event: LifeCycleEvent) => void): Server {
  return new ApiServer(config, onLifeCycle);
}

const LOOPBACK = { commonName: "system:apiserver", organizations: ["system:masters"] };

class ApiServer implements Server {
  readonly name: string;
  readonly release: Release;
  readonly #gates: ServerGates;
  readonly registry: ApiRegistry;
  readonly webhooks: WebhookClients;
  readonly services: ServiceNetwork;
  readonly lifeCycle: LifeCycle;
  readonly measuring: Measuring;
  readonly #config: ServerConfig;
  readonly #timers: Timers;
  readonly #rights: RequestRights;
  readonly #identity: RequestIdentity;
  readonly #elsewhere: NonResourcePaths;
  readonly #handlers: FilteredHandlers;
  readonly #watches = new OpenWatches();
  readonly #underWay = new RequestsUnderWay();
  readonly #stopping = new AbortController();
  readonly #closed = new AbortController();
  readonly #directors = new WeakMap<ServedApi, Handler>();
  #united: { readonly own: ServedApi; readonly behind: ServedApi; readonly both: ServedApi } | undefined;
  #stopped: Promise<void> | undefined;

  constructor(config: ServerConfig, onLifeCycle?: (event: LifeCycleEvent) => void) {
    this.#config = config;
    this.name = config.name ?? "kubets";
    this.release = config.release ?? newestRelease;
    this.#gates = config.gates ?? serverGates(this.release.emulated);
    this.#timers = config.timers ?? systemTimers;
    this.measuring = config.measuring ?? new Measuring();
    this.lifeCycle = new LifeCycle(onLifeCycle);
    // Every exchange under way adds a listener.
    setMaxListeners(0, this.#stopping.signal);
    const { env = {}, network, requestRandom, locateService } = config;
    const locate = locateService ?? locateByEndpoints(() => this.registry.access, requestRandom);
    this.services = { locate, hosts: hostsOf(network, config.webhookEgress?.cluster), env };
    this.webhooks = this.#openWebhooks();
    const access = () => this.registry.access;
    const context = {
      get objects() {
        return access();
      },
      clock: config.clock,
      release: this.release,
    };
    this.#rights = requestRights(config, context, this.measuring);
    this.registry = this.#openRegistry();
    this.registry.install(...(config.resources ?? []));
    const report = config.reportError ?? (() => {});
    this.#identity = requestIdentity(config, {
      find: (resource, namespace, name) => this.registry.access.get("", resource, namespace, name),
      markUsed: (secret, day) => markUsedToken(this.loopback(), secret, day, report),
      everyoneMayAll: this.#rights.everyoneMayAll,
    });
    this.#elsewhere = new NonResourcePaths(config, this.registry, this.#shutdownCheck(), this.measuring);
    this.#handlers = filterChains(
      config,
      {
        identity: this.#identity,
        authorization: this.#rights.authorization,
        watches: this.#watches,
        timers: this.#timers,
        measuring: this.measuring,
        available: () => this.#available(),
      },
      this.direct,
    );
  }

  get paths(): OwnPaths {
    return this.#elsewhere.own;
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal;
  }

  get authorization(): Authorization {
    return this.#rights.authorization;
  }

  get asksForRights(): boolean {
    return !this.#rights.everyoneMayAll;
  }

  get tokens(): TokenUnion {
    return this.#identity.tokens;
  }

  served(): ServedApi {
    const served = this.#servedHere();
    return this.#config.aggregation?.view(served) ?? served;
  }

  /** What this server and those behind it serve, without what other servers do. */
  #servedHere(): ServedApi {
    const own = this.registry.current.served;
    const behind = this.#config.delegate?.served();
    if (behind === undefined) return own;
    const last = this.#united;
    if (last?.own === own && last.behind === behind) return last.both;
    const both = unitedApi(own, behind, (last?.both.epoch ?? 0) + 1);
    this.#united = { own, behind, both };
    return both;
  }

  /** By the API that the request began with, where that is this server's. */
  readonly direct: Handler = async (request) => {
    const elsewhere = this.#config.aggregation?.handlerOf(request.info.path);
    if (elsewhere !== undefined) return elsewhere(request);
    const api = this.#directors.has(request.api) ? request.api : this.#current();
    return this.#directors.get(api)?.(request);
  };

  servesPath(path: string): boolean {
    return this.paths.find(path) !== undefined || this.#config.delegate?.servesPath(path) === true;
  }

  listedPaths(): readonly string[] {
    return [...this.paths.listed, ...(this.#config.delegate?.listedPaths() ?? [])];
  }

  indexPaths(): readonly string[] {
    return this.#elsewhere.listed();
  }

  healthChecks(): readonly HealthCheck[] {
    return this.#elsewhere.healthChecks();
  }

  readyChecks(): readonly HealthCheck[] {
    return this.#elsewhere.readyChecks();
  }

  handle(exchange: Exchange): Promise<void> {
    return this.#track(this.#handlers.clients, exchange);
  }

  transport(user?: { readonly commonName: string; readonly organizations: readonly string[] }): Transport {
    const handle = (exchange: Exchange): Promise<void> => this.handle(exchange);
    return inProcessTransport({ handle, clientCertificate: user, ...this.#signals() });
  }

  loopback(fence?: Fence): Transport {
    const handle = (exchange: Exchange): Promise<void> => this.#track(this.#handlers.own, exchange);
    return inProcessTransport({ handle, clientCertificate: LOOPBACK, ...this.#signals(), fence });
  }

  stop(preShutdown?: () => Promise<void>): Promise<void> {
    return (this.#stopped ??= this.#stop(preShutdown));
  }

  async #stop(preShutdown: (() => Promise<void>) | undefined): Promise<void> {
    const { shutdownDelay = 0, shutdownWatchTerminationGracePeriod: grace = 0 } = this.#config.conduct ?? {};
    this.lifeCycle.signal("ShutdownInitiated");
    const delay = async (): Promise<void> => {
      if (shutdownDelay > 0) await pause(this.#timers, shutdownDelay);
      this.lifeCycle.signal("AfterShutdownDelayDuration");
    };
    const hooks = async (): Promise<void> => {
      await preShutdown?.();
      this.lifeCycle.signal("PreShutdownHooksStopped");
    };
    await Promise.all([delay(), hooks()]);
    this.lifeCycle.signal("NotAcceptingNewRequest");
    if (grace > 0) await this.#watches.end(grace, this.#timers);
    this.#stopping.abort();
    await this.#underWay.drain();
    this.lifeCycle.signal("InFlightRequestsDrained");
    this.#closed.abort();
    this.registry.close();
    await this.webhooks.close();
  }

  #available(): Availability {
    if (this.lifeCycle.has("NotAcceptingNewRequest")) return "stopping";
    return this.#config.boot?.done === false ? "starting" : "serving";
  }

  #shutdownCheck(): HealthCheck {
    const isStopping = (): boolean => this.lifeCycle.has("ShutdownInitiated");
    return {
      name: "shutdown",
      check: () => (isStopping() ? Promise.reject(new Error("process is shutting down")) : Promise.resolve()),
    };
  }

  #signals(): { readonly stopping: AbortSignal; readonly closed: AbortSignal } {
    return { stopping: this.#stopping.signal, closed: this.#closed.signal };
  }

  #track(handler: Handler, exchange: Exchange): Promise<void> {
    const { clock, requestRandom } = this.#config;
    const auditId = headerText(exchange.headers["audit-id"] ?? "") || uuid(requestRandom);
    const running = handler(newApiRequest(exchange, this.#current(), clock.now(), auditId));
    this.#underWay.add(exchange, running);
    return running;
  }

  /** The API as of now, with a director of requests for it. */
  #current(): ServedApi {
    const api = this.served();
    if (!this.#directors.has(api)) {
      const { current } = this.registry;
      this.#directors.set(
        api,
        director(current, this.#operations(), this.#elsewhere.handler(api), this.measuring, this.#config.delegate),
      );
    }
    return api;
  }

  readonly #operations = once(() => {
    const { network = {}, serviceAccounts: issuer, random } = this.#config;
    return operationsFor({
      resource: (groupVersion, resource) => this.registry.current.find(groupVersion, resource),
      authorization: this.authorization,
      tokens: this.tokens,
      network,
      serviceAccounts: issuer && { issuer, random },
    });
  });

  #openWebhooks(): WebhookClients {
    const { clock, network, requestRandom, webhookEgress: egress, processWebhooks } = this.#config;
    const { env, locate: located } = this.services;
    const others = { locate: located, hosts: hostsOf(network) };
    const { locate, hosts } = processWebhooks === undefined ? others : withProcessWebhooks(processWebhooks, others);
    return new WebhookClients({ clock, timers: this.#timers, env, locate, hosts, egress }, requestRandom);
  }

  #openRegistry(): ApiRegistry {
    const { storage, records, clock, random, requestRandom, conduct } = this.#config;
    return new ApiRegistry({
      storage,
      records,
      clock,
      random,
      requestRandom,
      // A watch keeps its process alive.
      watchTimers: this.#config.timers ?? workTimers,
      minWatchSeconds: conduct?.minRequestTimeout === undefined ? undefined : conduct.minRequestTimeout / 1000,
      runtimeConfig: this.#config.runtimeConfig ?? {},
      storageMediaType: this.#config.storageMediaType ?? "application/json",
      release: this.release,
      gates: this.#gates,
      scheme: this.#config.scheme ?? publishedScheme(this.release),
      types: this.#config.types,
      title: this.#config.title,
      admission: this.#admission(),
      deletion: this.#config.deletion,
      authorization: this.authorization,
      timers: this.#timers,
      reportError: this.#config.reportError ?? (() => {}),
    });
  }

  #admission(): AdmissionChain {
    const { clock, random, admission = {}, manifests } = this.#config;
    const registry = (): ApiRegistry => this.registry;
    return new AdmissionChain(enabledPlugins(admission), {
      get objects() {
        return registry().access;
      },
      random,
      webhooks: this.webhooks,
      release: this.release,
      gates: this.#gates,
      kinds: servedKinds(() => this.registry.current),
      openCharges: new OpenCharges({ internal: (kind) => this.registry.internal(kind) }, clock),
      authorize: this.authorization.authorize,
      clock,
      client: () => this.loopback(),
      measuring: this.measuring,
      manifests,
    });
  }
}
