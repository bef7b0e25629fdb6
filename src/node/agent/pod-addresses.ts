import { formatIpv4, parseIpv4, parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";

/** Allocates the addresses of a node's pods from its block. A released address is reused last. */
export class PodAddresses {
  readonly #first: number;
  readonly #last: number;
  readonly #taken = new Set<number>();
  #next: number;
  /** The node's own address in the block. */
  readonly bridge: string;

  /** Throws for what is no block: "10.244.0.0/24". */
  constructor(cidr: string) {
    const prefix = parseIpv4Prefix(cidr);
    if (prefix === undefined)
      throw new Error(`${JSON.stringify(cidr)} is not a block of IPv4 addresses such as "10.0.0.0/24"`);
    this.bridge = formatIpv4(prefix.network + 1);
    this.#first = prefix.network + 2;
    this.#last = prefix.broadcast - 1;
    this.#next = this.#first;
  }

  /** `wanted` where it is free and of the block; undefined when none is left. */
  take(wanted?: string): string | undefined {
    const given = wanted === undefined ? undefined : parseIpv4(wanted);
    if (given !== undefined && given >= this.#first && given <= this.#last && !this.#taken.has(given))
      return this.#use(given);
    for (let tries = this.#last - this.#first; tries >= 0; tries -= 1) {
      const address = this.#next;
      this.#next = address >= this.#last ? this.#first : address + 1;
      if (!this.#taken.has(address)) return this.#use(address);
    }
    return undefined;
  }

  giveBack(address: string): void {
    const number = parseIpv4(address);
    if (number !== undefined) this.#taken.delete(number);
  }

  #use(address: number): string {
    this.#taken.add(address);
    return formatIpv4(address);
  }
}
