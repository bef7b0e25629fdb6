import type { PodSpec } from "../../api/types/core/v1.js";

/** The resolver settings of a pod, as in its /etc/resolv.conf. */
export interface ResolverConfig {
  /** Empty where the pod asks the DNS of its node, which knows no names of the cluster. */
  readonly nameservers: readonly string[];
  /** Domains that are put behind a name: "default.svc.cluster.local". */
  readonly searches: readonly string[];
  /** A name with fewer dots is tried with the searches first. */
  readonly ndots: number;
}

export const CLUSTER_DOMAIN = "cluster.local";

/** Makes the resolver's configuration of a pod by its dnsPolicy and dnsConfig, as the kubelet does. */
export function resolverConfig(spec: PodSpec | undefined, namespace: string, dnsAddress: string): ResolverConfig {
  const { dnsPolicy = "ClusterFirst", dnsConfig, hostNetwork } = spec ?? {};
  const asksCluster = dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && hostNetwork !== true);
  const base = asksCluster
    ? {
        nameservers: [dnsAddress],
        searches: [`${namespace}.svc.${CLUSTER_DOMAIN}`, `svc.${CLUSTER_DOMAIN}`, CLUSTER_DOMAIN],
        ndots: CLUSTER_NDOTS,
      }
    : { nameservers: [], searches: [], ndots: 1 };
  const ndots = dnsConfig?.options?.findLast(({ name }) => name === "ndots")?.value;
  return {
    nameservers: [...new Set([...base.nameservers, ...(dnsConfig?.nameservers ?? [])])],
    searches: [...new Set([...base.searches, ...(dnsConfig?.searches ?? [])])],
    ndots: ndots === undefined || !/^\d{1,2}$/.test(ndots) ? base.ndots : Number(ndots),
  };
}

const CLUSTER_NDOTS = 5;

/** Formats /etc/resolv.conf of a pod. */
export function resolvConf({ nameservers, searches, ndots }: ResolverConfig): string {
  const lines = [
    ...(searches.length > 0 ? [`search ${searches.join(" ")}`] : []),
    ...nameservers.map((address) => `nameserver ${address}`),
    ...(ndots === 1 ? [] : [`options ndots:${ndots}`]),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

/** The full names to try for a name, in order. None of them ends with a dot. */
export function candidateNames(name: string, { searches, ndots }: ResolverConfig): readonly string[] {
  if (name.endsWith(".")) return [name.slice(0, -1)];
  const searched = searches.map((domain) => `${name}.${domain}`);
  const dots = name.split(".").length - 1;
  return dots >= ndots ? [name, ...searched] : [...searched, name];
}
