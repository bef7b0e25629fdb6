import type { Service, ServicePort } from "../../api/types/core/v1.js";
import type { EndpointSlice } from "../../api/types/discovery/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { Lru } from "../../base/collections/lru.js";
import type { Random } from "../../base/numbers/random.js";

/** The endpoint to which a connection to a Service is routed. */
export interface ServiceRoute {
  readonly address: string;
  readonly port: number;
}

/** A client of a Service. */
export interface ServiceClient {
  readonly ip: string;
  readonly node: string;
}

/** The routing of a connection: to an endpoint, or refused or dropped as kube-proxy's rules do it. */
export type RouteDecision = ServiceRoute | "refused" | "dropped";

const AFFINITY_SECONDS = 10_800;
/** So many clients are remembered, of all Services together. */
const MOST_AFFINITIES = 10_000;

interface Affinity {
  readonly route: ServiceRoute;
  /** Milliseconds since the epoch. */
  readonly until: number;
}

/** Chooses endpoints of Services as kube-proxy does. */
export class ServiceRoutes {
  readonly #affinities = new Lru<string, Affinity>(MOST_AFFINITIES);

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /**
   * The endpoint for a new connection. `externalTrafficPolicy` has no effect here, by kube-proxy's own rules: each client is a pod or a node, for
   * which node ports and addresses of load balancers lead to all endpoints.
   */
  choose(service: Service, port: ServicePort, slices: readonly EndpointSlice[], client: ServiceClient): RouteDecision {
    const routes = endpointsOf(slices, port);
    if (routes.length === 0) return "refused";
    const isLocal = service.spec?.internalTrafficPolicy === "Local";
    const usable = isLocal ? routes.filter(({ node }) => node === client.node) : routes;
    if (usable.length === 0) return "dropped";
    const key = `${service.metadata?.uid ?? ""}/${port.port}/${client.ip}`;
    const isSticky = service.spec?.sessionAffinity === "ClientIP";
    const known = isSticky ? this.#known(key, usable) : undefined;
    const chosen = known ?? this.#any(usable);
    const route = { address: chosen.address, port: chosen.port };
    if (isSticky) this.#affinities.set(key, { route, until: this.clock.now() + affinityMs(service) });
    return route;
  }

  #known(key: string, usable: readonly ServiceRoute[]): ServiceRoute | undefined {
    const known = this.#affinities.get(key);
    if (known === undefined || known.until <= this.clock.now()) return undefined;
    return usable.find(({ address, port }) => address === known.route.address && port === known.route.port);
  }

  #any(usable: readonly ServiceRoute[]): ServiceRoute {
    const [high = 0, low = 0] = this.random.bytes(2);
    const chosen = usable[(high * 256 + low) % usable.length];
    if (chosen === undefined) throw new Error("there is no endpoint to choose from");
    return chosen;
  }
}

const affinityMs = ({ spec }: Service): number =>
  (spec?.sessionAffinityConfig?.clientIP?.timeoutSeconds ?? AFFINITY_SECONDS) * 1000;

/** The endpoints that are ready; while there are none, those that still serve although they end. */
function endpointsOf(
  slices: readonly EndpointSlice[],
  { name = "" }: ServicePort,
): readonly (ServiceRoute & { readonly node: string })[] {
  const all = slices.flatMap(({ endpoints, ports }) => {
    const port = (ports ?? []).find((one) => (one.name ?? "") === name && (one.protocol ?? "TCP") === "TCP")?.port;
    if (port === undefined) return [];
    return (endpoints ?? []).flatMap(({ addresses: [address], conditions = {}, nodeName: node = "" }) =>
      address === undefined ? [] : [{ address, port, node, conditions }],
    );
  });
  const ready = all.filter(({ conditions }) => conditions.ready !== false);
  if (ready.length > 0) return ready;
  return all.filter(({ conditions }) => conditions.serving === true && conditions.terminating === true);
}
