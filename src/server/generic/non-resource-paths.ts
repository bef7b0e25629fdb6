import type { ServedApi } from "../../api/facts/index.js";
import type { ApiRegistry } from "../api-registry/api-registry.js";
import { discoveryHandlers } from "../endpoints/non-resource/discovery.js";
import { type HealthCheck, healthHandler } from "../endpoints/non-resource/health.js";
import { LatestDocuments } from "../endpoints/non-resource/cached-document.js";
import { openApiHandlers } from "../endpoints/non-resource/openapi.js";
import { OPENID_PATHS, openIdHandlers } from "../endpoints/non-resource/openid-metadata.js";
import { rootPaths } from "../endpoints/non-resource/root-paths.js";
import { versionHandler } from "../endpoints/non-resource/version.js";
import type { Measuring } from "../metrics/measures.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import { hasBadEscape } from "../request/request-info.js";
import { respondText } from "../request/respond.js";
import { OwnPaths } from "./own-paths.js";
import { answerOnlyRead, answerUnserved } from "./unserved-paths.js";
import { isStep } from "./boot-sequence.js";
import type { ServerConfig } from "./server-config.js";

/** The paths of a server that are no resources: its version, health, discovery, OpenAPI and index, and paths of its owner's. */
export class NonResourcePaths {
  /** Paths that the owner of the server adds. */
  readonly own: OwnPaths;
  readonly #config: ServerConfig;
  readonly #registry: ApiRegistry;
  readonly #shutdown: HealthCheck;
  readonly #documents = new LatestDocuments();
  readonly #began: number;
  readonly #measuring: Measuring;

  /** `shutdown` fails once the server stops. */
  constructor(config: ServerConfig, registry: ApiRegistry, shutdown: HealthCheck, measuring: Measuring) {
    this.#config = config;
    this.#registry = registry;
    this.#shutdown = shutdown;
    this.#measuring = measuring;
    this.#began = config.clock.now();
    this.own = config.paths ?? new OwnPaths();
  }

  /** Handles the paths of a server that serves `api`, those of its delegate included. */
  handler(api: ServedApi): Handler {
    const find = this.#lookup(api);
    const { delegate, listsPathsAtEnd = false, monitoring } = this.#config;
    const index = listsPathsAtEnd ? rootPaths(api, () => this.listed(), 404) : undefined;
    const routes = (group: string): boolean => this.#registry.current.routes(group);
    return async (request) => {
      const { path } = request.info;
      const handler = this.own.find(path) ?? monitoring?.find(path);
      if (handler !== undefined) return handler(request);
      const reader = find(path);
      if (reader !== undefined) return isRead(request) ? reader(request) : answerOnlyRead(request, routes);
      if (delegate?.servesPath(path) === true) return delegate.direct(request);
      if (hasBadEscape(path)) return respondText(request, 400, "400 Bad Request");
      return answerUnserved(request, routes, index);
    };
  }

  /** The paths of the index beside those of the API. Each check is a path of its own. */
  listed(): readonly string[] {
    const below = (root: string, checks: readonly HealthCheck[]) => checks.map(({ name }) => `${root}/${name}`);
    const openId = this.#config.serviceAccounts === undefined ? [] : OPENID_PATHS;
    return [
      ...this.own.listed,
      ...(this.#config.monitoring?.listed ?? []),
      ...openId,
      ...(this.#config.delegate?.listedPaths() ?? []),
      ...below("/healthz", this.#healthy()),
      ...below("/livez", this.#liveChecks()),
      ...below("/readyz", this.#readiness()),
    ];
  }

  /** The checks of this server's health and of those behind it. A check of this server hides one of the same name behind it. */
  healthChecks(): readonly HealthCheck[] {
    const { boot, delegate, healthChecks = [], storage } = this.#config;
    const own = [PING, LOG, { name: "etcd", check: () => storage.check() }, ...healthChecks, ...(boot?.checks ?? [])];
    return withBehind(own, delegate?.healthChecks() ?? []);
  }

  /** What /readyz checks beside {@link healthChecks}, of this server and of those behind it. */
  readyChecks(): readonly HealthCheck[] {
    const { readyChecks = [], delegate } = this.#config;
    return withBehind(readyChecks, delegate?.readyChecks() ?? []);
  }

  /** Of /livez: unfinished steps of the start count only when the grace period has passed. */
  #liveChecks(): readonly HealthCheck[] {
    const { conduct, clock } = this.#config;
    const checks = this.healthChecks().filter(({ isReadinessOnly }) => isReadinessOnly !== true);
    const isInGrace = clock.now() - this.#began < (conduct?.livezGracePeriod ?? Number.POSITIVE_INFINITY);
    return isInGrace ? checks.map((check) => (isStep(check.name) ? passing(check.name) : check)) : checks;
  }

  #healthy(): readonly HealthCheck[] {
    return [...this.healthChecks(), ...resourcesCheck(this.#registry)];
  }

  #readiness(): readonly HealthCheck[] {
    const { storage } = this.#config;
    const etcd: HealthCheck = { name: "etcd-readiness", check: () => storage.check("readiness") };
    const healthy = this.#healthy().flatMap((check) =>
      check.name === "etcd" ? [check, etcd, ...this.readyChecks()] : [check],
    );
    return [...healthy, this.#shutdown];
  }

  #lookup(api: ServedApi): (path: string) => Handler | undefined {
    const { serverAddress, serviceAccounts } = this.#config;
    const root = rootPaths(api, () => this.listed());
    const version = versionHandler(this.#registry.config.release, this.#config.title?.version);
    const lookups = [
      (path: string) => (path === "/version" || path === "/version/" ? version : undefined),
      healthHandler("/healthz", () => this.#healthy(), this.#measuring),
      healthHandler("/livez", () => this.#liveChecks(), this.#measuring),
      healthHandler("/readyz", () => this.#readiness(), this.#measuring),
      discoveryHandlers(api, serverAddress),
      openApiHandlers(api, this.#documents, this.#config.aggregation?.openApi),
      ...(serviceAccounts === undefined ? [] : [openIdHandlers(serviceAccounts, serverAddress)]),
      (path: string) => (path === "/" || path === "/index.html" ? root : undefined),
    ];
    return (path) => {
      for (const lookup of lookups) {
        const handler = lookup(path);
        if (handler !== undefined) return handler;
      }
      return undefined;
    };
  }
}

const passing = (name: string): HealthCheck => ({ name, check: () => Promise.resolve() });

const PING = passing("ping");

/** Lines of the log are written before the code goes on that writes them: a server that answers has written them. */
const LOG = passing("log");

function withBehind(own: readonly HealthCheck[], behind: readonly HealthCheck[]): readonly HealthCheck[] {
  const names = new Set(own.map(({ name }) => name));
  return [...own, ...behind.filter(({ name }) => !names.has(name))];
}

const isRead = ({ exchange }: ApiRequest): boolean => exchange.method === "GET" || exchange.method === "HEAD";

/** Fails while a part of the server reads a resource that is not installed; kube-apiserver has no such check, so that it is not listed before. */
function resourcesCheck(registry: ApiRegistry): readonly HealthCheck[] {
  const { missing } = registry;
  if (missing.length === 0) return [];
  const fault = new Error(`the server reads resources that are not installed: ${missing.join(", ")}`);
  return [{ name: "api-resources", check: () => Promise.reject(fault) }];
}
