import { internalError } from "../../../../machinery/errors/status-error.js";

/** Ports, both ends included. */
export interface Ports {
  readonly first: number;
  readonly last: number;
}

/** The default range of node ports. */
export const NODE_PORTS: Ports = { first: 30000, last: 32767 };

/** "30000-32767". */
export const rangeText = ({ first, last }: Ports): string => `${first}-${last}`;

/** The ports of a text by {@link rangeText}; undefined for any other text. */
export function readRange(text: string): Ports | undefined {
  const [, first, last] = /^(\d{1,5})-(\d{1,5})$/.exec(text) ?? [];
  return first === undefined || Number(first) > Number(last) ? undefined : { first: Number(first), last: Number(last) };
}

/** Node ports, kept as the bits of one big-endian number without leading zero bytes: bit 0 is the first port. */
export class PortSet {
  readonly #bits: Uint8Array;

  constructor(readonly range: Ports) {
    this.#bits = new Uint8Array(Math.ceil((range.last - range.first + 1) / 8));
  }

  /** `data` is base64, as RangeAllocation has it. Throws for bits that no port has. */
  static decode(range: Ports, data: string): PortSet {
    const set = new PortSet(range);
    const bytes = Buffer.from(data, "base64").reverse();
    if (bytes.length > set.#bits.length) throw internalError("more ports are allocated than there are");
    set.#bits.set(bytes);
    return set;
  }

  static of(range: Ports, ports: Iterable<number>): PortSet {
    const set = new PortSet(range);
    for (const port of ports) set.add(port);
    return set;
  }

  encode(): string {
    const bytes = Buffer.from(this.#bits).reverse();
    const start = bytes.findIndex((byte) => byte !== 0);
    return bytes.subarray(start < 0 ? bytes.length : start).toString("base64");
  }

  /** Whether the set could have the port. */
  covers(port: number): boolean {
    return port >= this.range.first && port <= this.range.last;
  }

  has(port: number): boolean {
    const bit = port - this.range.first;
    return this.covers(port) && ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /** Ports out of range are passed over, here and in {@link delete}. */
  add(port: number): void {
    if (!this.covers(port)) return;
    const bit = port - this.range.first;
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  delete(port: number): void {
    if (!this.covers(port)) return;
    const bit = port - this.range.first;
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) & ~(1 << (bit & 7));
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let port = this.range.first; port <= this.range.last; port++) if (this.has(port)) yield port;
  }
}
