import { comparableHost, isAddressOf } from "../../node/node-host.js";

/** The addresses of a node's pods: those of the first 256 nodes are the parts of the cluster's range. */
export const podCidr = (index: number): string =>
  index < 256 ? `10.244.${index}.0/24` : `10.${128 + (index >> 8)}.${index & 255}.0/24`;

/** How many such blocks there are before they would meet the first ones. */
export const MOST_RANGES = 116 * 256;

/** Tells hosts of the nodes of this process, by their names and pod ranges: known before the nodes have started. */
export function nodeHosts(names: readonly string[]): (host: string) => boolean {
  const known = new Set(names);
  return (host) => {
    const comparable = comparableHost(host);
    return known.has(comparable) || names.some((_, index) => isAddressOf(podCidr(index), comparable));
  };
}
