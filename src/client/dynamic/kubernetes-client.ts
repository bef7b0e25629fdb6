import { builtInResource } from "../../api/kinds/built-in-resource.js";
import { type GroupVersionResource, parseGroupVersion } from "../../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import { isNoMatchError, type RestMapper, type RestMapping } from "../../machinery/rest-mapper.js";
import { type ClientConfig, USER_AGENT } from "../config/client-config.js";
import { createCachedDiscovery } from "../discovery/cached-discovery.js";
import type { Discovery } from "../discovery/discovery.js";
import { createRestMapper } from "../mapper/discovery-mapper.js";
import { ClosingRestClient } from "../rest/closing-rest-client.js";
import { createRestClient, type RestClientOptions } from "../rest/create-rest-client.js";
import type { RestClient } from "../rest/rest-client.js";
import { surroundingsOf } from "../surroundings.js";
import type { Transport } from "../transport/transport.js";
import type { ApiVersion, KindIn, ObjectOf } from "./api-kinds.js";
import { ResourceClient } from "./resource-client.js";

/**
 * A client for all resources of one server. Close it, or declare it with `await using`: closing ends every socket, timer and
 * watch. What was under way, and every later call, rejects with a ClientClosedError.
 */
export interface KubernetesClient extends AsyncDisposable {
  /** Sends requests of any path. */
  readonly rest: RestClient;
  /** The namespace of the config's context, for objects that name none. */
  readonly namespace: string;
  readonly discovery: Discovery;
  readonly mapper: RestMapper;
  /** The client of a kind of an apiVersion that {@link ApiKinds} does not have. */
  of<V extends string>(apiVersion: V extends ApiVersion ? never : V, kind: string): ResourceClient;
  /** The client of a kind whose objects have the type that the caller names: `client.of<Widget>(apiVersion, kind)`. */
  of<T extends ApiObject = never>(apiVersion: [T] extends [never] ? never : string, kind: string): ResourceClient<T>;
  // The last one, because the compiler's message for a wrong call is about the last one; `& string` makes it list the kinds.
  /**
   * The client of a kind, across all namespaces: `client.of("apps/v1", "Deployment")`. Objects have the type that
   * {@link ApiKinds} has for the kind. A kind of Kubernetes needs no discovery; the first request of another one asks the
   * server for its resource, and throws a NoMatchError where there is none.
   */
  of<V extends ApiVersion, K extends KindIn<V> & string>(apiVersion: V, kind: K): ResourceClient<ObjectOf<V, K>>;
  /** The client of a resource, without discovery. */
  resource<T extends ApiObject = KubeObject>(resource: GroupVersionResource): ResourceClient<T>;
  /**
   * The client of an object's resource, found by discovery. A namespaced kind gets the object's namespace, else the
   * config's.
   */
  resourceFor<T extends ApiObject = KubeObject>(object: T): Promise<ResourceClient<T>>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface KubernetesClientOptions extends RestClientOptions {
  /** The client's namespace. Default: that of the config's context; of a server in this process, "default". */
  readonly namespace?: string;
}

/** A server in this process, as startCluster() and startServer() return it. */
export interface InProcessServer {
  /** The way to the server without a socket, as its administrator. */
  transport(): Transport;
}

/**
 * Creates a client of a configured server, which connects on the first request, or of a server in this process, which it
 * reaches without a socket. Requests and watches share a connection pool. Throws when the config's certificates or ways of
 * authentication cannot be used.
 */
export function kubernetesClient(
  server: ClientConfig | InProcessServer,
  options: KubernetesClientOptions = {},
): KubernetesClient {
  const { clock, random } = surroundingsOf(options);
  const [config, transport]: [ClientConfig, Transport | undefined] =
    "transport" in server
      ? [IN_PROCESS, options.transport ?? server.transport()]
      : // A caller's transport may hand on compressed bytes as they are.
        [options.transport ? { ...server, disableCompression: true } : server, options.transport];
  const rest = new ClosingRestClient(
    createRestClient(config, { pooled: true, ...options, ...(transport && { transport }) }),
  );
  const discovery = createCachedDiscovery({
    client: rest,
    clock,
    random,
    ...(config.cacheDir !== "" && { cacheDir: config.cacheDir }),
  });
  const mapper = createRestMapper(discovery);
  const mappingOf = kindFinder(mapper);
  return {
    rest,
    discovery,
    mapper,
    namespace: options.namespace ?? config.namespace,
    of: (apiVersion: string, kind: string): ResourceClient<never> => {
      const builtIn = builtInResource(apiVersion, kind);
      const type = { apiVersion, kind };
      if (builtIn === undefined) return new ResourceClient(rest, () => mappingOf(apiVersion, kind), { type });
      return new ResourceClient(rest, builtIn.resource, { namespaced: builtIn.namespaced, type });
    },
    resource: <T extends ApiObject>(resource: GroupVersionResource) => new ResourceClient<T>(rest, resource),
    resourceFor: async <T extends ApiObject>(object: T) => {
      const { apiVersion = "", kind = "", metadata } = object;
      const { resource, namespaced } = await mappingOf(apiVersion, kind);
      const namespace = metadata?.namespace ?? options.namespace ?? config.namespace;
      return new ResourceClient<T>(rest, resource, { namespaced, ...(namespaced && { namespace }) });
    },
    close: () => rest.close(),
    [Symbol.asyncDispose]: () => rest.close(),
  };
}

/**
 * Finds the resource of a kind. A kind may be defined while the client lives: where one is not known, the finder reads discovery anew, once
 * for all calls that miss at a time.
 */
function kindFinder(mapper: RestMapper): (apiVersion: string, kind: string) => Promise<RestMapping> {
  let hasRead = false;
  let isReading = false;
  return async (apiVersion, kind) => {
    const { group, version } = parseGroupVersion(apiVersion);
    const find = () => mapper.mappingFor({ group, kind }, version);
    const mayBeOutdated = hasRead;
    hasRead = true;
    try {
      return await find();
    } catch (error) {
      if (!mayBeOutdated || !isNoMatchError(error)) throw error;
    }
    if (!isReading) mapper.refresh();
    isReading = true;
    try {
      return await find();
    } finally {
      isReading = false;
    }
  };
}

const IN_PROCESS: ClientConfig = {
  server: "https://in-process.invalid",
  tls: { insecureSkipVerify: false },
  auth: {},
  // The bytes stay in this process.
  disableCompression: true,
  timeout: 0,
  userAgent: USER_AGENT,
  namespace: "default",
  namespaceEnforced: false,
  cacheDir: "",
};
