import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { ApiObject, KubeObject } from "../../machinery/meta/object.js";
import type { RestMapper } from "../../machinery/rest-mapper.js";
import type { ClientConfig } from "../config/client-config.js";
import { createCachedDiscovery } from "../discovery/cached-discovery.js";
import type { Discovery } from "../discovery/discovery.js";
import { createRestMapper } from "../mapper/discovery-mapper.js";
import { createRestClient, type RestClientOptions } from "../rest/create-rest-client.js";
import type { RestClient } from "../rest/rest-client.js";
import { surroundingsOf } from "../surroundings.js";
import { ResourceClient } from "./resource-client.js";

/** A client for all resources of one server. Close it, or declare it with `await using`. */
export interface KubernetesClient extends AsyncDisposable {
  readonly rest: RestClient;
  readonly discovery: Discovery;
  readonly mapper: RestMapper;
  /** The client of a resource, without discovery. */
  resource<T extends ApiObject = KubeObject>(resource: GroupVersionResource): ResourceClient<T>;
  /**
   * The client of an object's resource, found by discovery. A namespaced kind gets the object's namespace, else the
   * config's.
   */
  resourceFor<T extends ApiObject = KubeObject>(object: T): Promise<ResourceClient<T>>;
  close(): Promise<void>;
}

/** Creates a client. It connects on the first request. Requests and watches share a connection pool. */
export function kubernetesClient(config: ClientConfig, options: RestClientOptions = {}): KubernetesClient {
  const { clock, random } = surroundingsOf(options);
  const rest = createRestClient(config, { pooled: true, ...options });
  const discovery = createCachedDiscovery({
    client: rest,
    clock,
    random,
    ...(config.cacheDir !== "" && { cacheDir: config.cacheDir }),
  });
  const mapper = createRestMapper(discovery);
  return {
    rest,
    discovery,
    mapper,
    resource: <T extends ApiObject>(resource: GroupVersionResource) => new ResourceClient<T>(rest, resource),
    resourceFor: async <T extends ApiObject>(object: T) => {
      const { apiVersion = "", kind = "", metadata } = object;
      const slash = apiVersion.indexOf("/");
      const group = slash === -1 ? "" : apiVersion.slice(0, slash);
      const mapping = await mapper.mappingFor({ group, kind }, apiVersion.slice(slash + 1));
      const client = new ResourceClient<T>(rest, mapping.resource);
      return mapping.namespaced ? client.namespace(metadata?.namespace ?? config.namespace) : client;
    },
    close: () => rest.close(),
    [Symbol.asyncDispose]: () => rest.close(),
  };
}
