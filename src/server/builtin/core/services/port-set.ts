import { internalError } from "../../../../machinery/errors/status-error.js";

export const NODE_PORTS = { first: 30000, last: 32767 } as const;
export const NODE_PORT_RANGE = `${NODE_PORTS.first}-${NODE_PORTS.last}`;

const SIZE = NODE_PORTS.last - NODE_PORTS.first + 1;

/** Node ports, kept as the bits of one big-endian number without leading zero bytes: bit 0 is the first port. */
export class PortSet {
  readonly #bits = new Uint8Array(Math.ceil(SIZE / 8));

  /** `data` is base64, as RangeAllocation has it. Throws for bits that no port has. */
  static decode(data: string): PortSet {
    const set = new PortSet();
    const bytes = Buffer.from(data, "base64").reverse();
    if (bytes.length > set.#bits.length) throw internalError("more ports are allocated than there are");
    set.#bits.set(bytes);
    return set;
  }

  static of(ports: Iterable<number>): PortSet {
    const set = new PortSet();
    for (const port of ports) set.add(port);
    return set;
  }

  encode(): string {
    const bytes = Buffer.from(this.#bits).reverse();
    const start = bytes.findIndex((byte) => byte !== 0);
    return bytes.subarray(start < 0 ? bytes.length : start).toString("base64");
  }

  has(port: number): boolean {
    const bit = port - NODE_PORTS.first;
    return inRange(port) && ((this.#bits[bit >> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  /** Ports out of range are passed over, here and in {@link delete}. */
  add(port: number): void {
    if (!inRange(port)) return;
    const bit = port - NODE_PORTS.first;
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) | (1 << (bit & 7));
  }

  delete(port: number): void {
    if (!inRange(port)) return;
    const bit = port - NODE_PORTS.first;
    this.#bits[bit >> 3] = (this.#bits[bit >> 3] ?? 0) & ~(1 << (bit & 7));
  }

  *[Symbol.iterator](): Iterator<number> {
    for (let port: number = NODE_PORTS.first; port <= NODE_PORTS.last; port++) if (this.has(port)) yield port;
  }
}

export function inRange(port: number): boolean {
  return port >= NODE_PORTS.first && port <= NODE_PORTS.last;
}
