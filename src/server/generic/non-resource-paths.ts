import type { ServedApi } from "../../api/facts/index.js";
import type { ApiRegistry } from "../api-registry/api-registry.js";
import { discoveryHandlers } from "../endpoints/non-resource/discovery.js";
import { type HealthCheck, healthHandler } from "../endpoints/non-resource/health.js";
import { LatestDocuments } from "../endpoints/non-resource/cached-document.js";
import { openApiHandlers } from "../endpoints/non-resource/openapi.js";
import { OPENID_PATHS, openIdHandlers } from "../endpoints/non-resource/openid-metadata.js";
import { rootPaths } from "../endpoints/non-resource/root-paths.js";
import { versionHandler } from "../endpoints/non-resource/version.js";
import type { ApiRequest, Handler } from "../request/api-request.js";
import { hasBadEscape } from "../request/request-info.js";
import { respondText } from "../request/respond.js";
import { OwnPaths } from "./own-paths.js";
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

  /** `shutdown` fails once the server stops. */
  constructor(config: ServerConfig, registry: ApiRegistry, shutdown: HealthCheck) {
    this.#config = config;
    this.#registry = registry;
    this.#shutdown = shutdown;
    this.#began = config.clock.now();
    this.own = config.paths ?? new OwnPaths();
  }

  /** Handles the paths of a server that serves `api`, those of its delegate included. */
  handler(api: ServedApi): Handler {
    const find = this.#lookup(api);
    const { delegate, listsPathsAtEnd = false } = this.#config;
    const end = listsPathsAtEnd ? rootPaths(api, () => this.#listed(), 404) : notFound;
    return async (request) => {
      const { path } = request.info;
      const handler = find(path);
      if (handler !== undefined)
        return isRead(request) || this.own.find(path) === handler ? handler(request) : refuse(request);
      if (delegate?.servesPath(path) === true) return delegate.direct(request);
      if (hasBadEscape(path)) return respondText(request, 400, "400 Bad Request");
      return end(request);
    };
  }

  #listed(): readonly string[] {
    const { delegate, serviceAccounts } = this.#config;
    const openId = serviceAccounts === undefined ? [] : OPENID_PATHS;
    return [...this.own.listed, ...openId, ...(delegate?.listedPaths() ?? [])];
  }

  /** The checks of this server's health and of those behind it. */
  healthChecks(): readonly HealthCheck[] {
    const { boot, delegate } = this.#config;
    const own = [...this.#lasting(), ...(boot?.checks ?? [])];
    const names = new Set(own.map(({ name }) => name));
    // As in kube-apiserver: a check that both have by one name is the head's.
    return [...own, ...(delegate?.healthChecks() ?? []).filter(({ name }) => !names.has(name))];
  }

  /** Of /livez: unfinished steps of the start count only when the grace period has passed. */
  #liveChecks(): readonly HealthCheck[] {
    const { boot, conduct, clock } = this.#config;
    const isInGrace = clock.now() - this.#began < (conduct?.livezGracePeriod ?? Number.POSITIVE_INFINITY);
    return [...this.#lasting(), ...(isInGrace ? [] : (boot?.checks ?? []))];
  }

  /** The checks that hold for as long as the server runs. */
  #lasting(): readonly HealthCheck[] {
    const { healthChecks = [], storage } = this.#config;
    return [PING, { name: "etcd", check: () => storage.check() }, ...healthChecks];
  }

  #lookup(api: ServedApi): (path: string) => Handler | undefined {
    const { serverAddress, serviceAccounts } = this.#config;
    const healthy = () => [...this.healthChecks(), ...resourcesCheck(this.#registry)];
    const { storage } = this.#config;
    const readiness: HealthCheck = { name: "etcd-readiness", check: () => storage.check("readiness") };
    const withReadiness = (one: HealthCheck): readonly HealthCheck[] =>
      one.name === "etcd" ? [one, readiness] : [one];
    const root = rootPaths(api, () => this.#listed());
    const version = versionHandler(this.#config.title?.version);
    const lookups = [
      (path: string) => this.own.find(path),
      (path: string) => (path === "/version" || path === "/version/" ? version : undefined),
      healthHandler("/healthz", healthy),
      healthHandler("/livez", () => this.#liveChecks()),
      healthHandler("/readyz", () => [...healthy().flatMap(withReadiness), this.#shutdown]),
      discoveryHandlers(api, serverAddress),
      openApiHandlers(api, this.#documents),
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

const PING: HealthCheck = { name: "ping", check: () => Promise.resolve() };

const isRead = ({ exchange }: ApiRequest): boolean => exchange.method === "GET" || exchange.method === "HEAD";

const notFound: Handler = (request) => respondText(request, 404, "404 page not found\n");

const refuse = (request: ApiRequest): Promise<void> => respondText(request, 405, "405: Method Not Allowed");

/** Fails while a part of the server reads a resource that is not installed; kube-apiserver has no such check, so that it is not listed before. */
function resourcesCheck(registry: ApiRegistry): readonly HealthCheck[] {
  const { missing } = registry;
  if (missing.length === 0) return [];
  const fault = new Error(`the server reads resources that are not installed: ${missing.join(", ")}`);
  return [{ name: "api-resources", check: () => Promise.reject(fault) }];
}
