import type { Service } from "../../api/types/core/v1.js";
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
 * An address of the block for a Service: the one that it asks for by loadBalancerIP, else the first one that is free. Undefined
 * when that one is taken or of no use, or none is free.
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
