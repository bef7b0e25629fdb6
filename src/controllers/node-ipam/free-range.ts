import { formatIpv4, parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";

/** The addresses of a cluster's pods. */
export interface PodRange {
  /** An IPv4 block: "10.244.0.0/16". */
  readonly cidr: string;
  /** How many bits the addresses of a node's pods have in common: 24. */
  readonly nodeMask: number;
  /** Blocks that no node gets. */
  readonly reserved?: readonly string[];
}

export interface NodeRange {
  /** "10.244.3.0/24". */
  readonly cidr: string;
  /** Which of the parts of the whole range it is. */
  readonly index: number;
}

/**
 * The first part of the range, from `start` on and around, that shares no address with `taken`. Undefined when there is none.
 * What is no IPv4 block takes nothing. Throws for a range that is no IPv4 block.
 */
export function freeRange({ cidr, nodeMask }: PodRange, taken: Iterable<string>, start: number): NodeRange | undefined {
  const whole = parseIpv4Prefix(cidr);
  if (whole === undefined)
    throw new Error(`${JSON.stringify(cidr)} is not a block of IPv4 addresses such as "10.0.0.0/24"`);
  const size = 2 ** (32 - nodeMask);
  const count = Math.floor((whole.broadcast - whole.network + 1) / size);
  const used = new Set<number>();
  for (const one of taken) {
    const block = parseIpv4Prefix(one);
    if (block === undefined || block.broadcast < whole.network || block.network > whole.broadcast) continue;
    const [first, last] = [block.network, block.broadcast].map((address) =>
      Math.floor((address - whole.network) / size),
    );
    for (let index = Math.max(0, first ?? 0); index <= Math.min(count - 1, last ?? 0); index++) used.add(index);
  }
  for (let step = 0; step < count; step++) {
    const index = (start + step) % count;
    if (!used.has(index)) return { cidr: `${formatIpv4(whole.network + index * size)}/${nodeMask}`, index };
  }
  return undefined;
}
