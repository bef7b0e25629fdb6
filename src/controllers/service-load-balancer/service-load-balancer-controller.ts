import type { Service } from "../../api/types/core/v1.js";
import { objectKey } from "../../client/informers/indexer.js";
import type { ReconcileResult } from "../../client/manager/index.js";
import { unlessChanged } from "../writes.js";
import type { ControllerContext } from "../context.js";
import { formatIpv4, isHostOf, type Ipv4Prefix, parseIpv4 } from "../../base/numbers/ipv4-prefix.js";
import { isTerminating } from "../terminating.js";

/** Holds a Service until its load balancer is gone. */
const FINALIZER = "service.kubernetes.io/load-balancer-cleanup";

/** Whether a Service should have a load balancer of the cluster. One of a loadBalancerClass has another controller. */
export function wantsLoadBalancer(service: Service): boolean {
  const { type, loadBalancerClass } = service.spec ?? {};
  return type === "LoadBalancer" && loadBalancerClass === undefined && !isTerminating(service);
}

export const isHeld = ({ metadata }: Service): boolean => metadata?.finalizers?.includes(FINALIZER) === true;

/** The Service with the finalizer, or without it. */
export function withFinalizer(service: Service, held: boolean): Service {
  const others = (service.metadata?.finalizers ?? []).filter((one) => one !== FINALIZER);
  return { ...service, metadata: { ...service.metadata, finalizers: held ? [...others, FINALIZER] : others } };
}

/** The addresses by which a Service is reached from outside. */
export const addressesOf = ({ status }: Service): readonly string[] =>
  (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }) => ip ?? []);

/**
 * Chooses an address of the block for a Service: the one in its loadBalancerIP, else the first free one. Undefined when the
 * requested one is in use or invalid, or none is free.
 */
export function addressFor({ spec }: Service, block: Ipv4Prefix, taken: ReadonlySet<string>): string | undefined {
  const asked = spec?.loadBalancerIP ?? "";
  if (asked !== "") {
    const address = parseIpv4(asked);
    return address !== undefined && isHostOf(block, address) && !taken.has(asked) ? asked : undefined;
  }
  for (let address = block.network + 1; address < block.broadcast; address++) {
    const text = formatIpv4(address);
    if (!taken.has(text)) return text;
  }
  return undefined;
}

/** How long the controller waits before it looks for a free address again. */
const RETRY_MS = 5000;

/**
 * Allocates addresses to Services of type LoadBalancer, as a cloud's controller does, if the cluster has a block of addresses for
 * them. Nothing listens at these addresses.
 */
export function serviceLoadBalancerController(context: ControllerContext): void {
  const { client, manager, cluster } = context;
  const block = cluster.loadBalancerAddresses;
  if (block === undefined) return;
  const { lister } = manager.informers.of("v1", "Service");
  const events = context.recorder({ component: "service-controller" });
  /** Given to Services that the cache may still show without one. */
  const given = new Map<string, string>();

  const allocate = async (service: Service): Promise<ReconcileResult> => {
    const key = objectKey(service);
    const others = [...given].filter(([owner]) => owner !== key).map(([, address]) => address);
    const taken = new Set([...others, ...lister.list().flatMap(addressesOf)]);
    const ip = addressFor(service, block, taken);
    if (ip === undefined) {
      const asked = service.spec?.loadBalancerIP;
      const reason = asked ? `the address ${asked} is taken or not one of the cluster` : "no address is free";
      const message = `Error syncing load balancer: failed to ensure load balancer: ${reason}`;
      events.event(service, "Warning", "SyncLoadBalancerFailed", message);
      return { requeueAfterMilliseconds: RETRY_MS };
    }
    given.set(key, ip);
    const loadBalancer = { ingress: [{ ip }] };
    const services = client.of("v1", "Service").namespace(service.metadata?.namespace ?? "");
    await services.updateStatus({ ...service, status: { ...service.status, loadBalancer } });
    events.event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer");
  };

  manager
    .controllerFor("v1", "Service", { when: (service) => wantsLoadBalancer(service) || isHeld(service) })
    .named("service-lb-controller")
    .reconcile(async ({ object: service, namespace, name }) => {
      if (service === undefined) {
        given.delete(`${namespace}/${name}`);
        return;
      }
      return unlessChanged(bring(service));
    });

  /** The next step of a Service. */
  async function bring(service: Service): Promise<ReconcileResult> {
    if (!wantsLoadBalancer(service)) await release(service);
    else if (!isHeld(service)) await hold(service);
    else if (addressesOf(service).length === 0) return allocate(service);
    return undefined;
  }

  async function hold(service: Service): Promise<void> {
    events.event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer");
    await client
      .of("v1", "Service")
      .namespace(service.metadata?.namespace ?? "")
      .update(withFinalizer(service, true));
  }

  async function release(service: Service): Promise<void> {
    if (!isHeld(service)) return;
    events.event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer");
    await client
      .of("v1", "Service")
      .namespace(service.metadata?.namespace ?? "")
      .update(withFinalizer(service, false));
    given.delete(objectKey(service));
    events.event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer");
  }
}
