import { isIP, isIPv4 } from "node:net";
import { goQuote } from "../../base/text/go-quote.js";

/** A local port and the port of the pod behind it. */
export interface ForwardedPort {
  /** 0 takes a free one. */
  readonly local: number;
  readonly remote: number;
}

/** Reads `REMOTE`, `LOCAL:REMOTE` and `:REMOTE`. Throws in client-go's words. */
export function parsePorts(texts: readonly string[]): readonly ForwardedPort[] {
  if (texts.length === 0) throw new Error("you must specify at least 1 port");
  return texts.map((text) => {
    const parts = text.split(":");
    const [first = "", second = first] = parts;
    if (parts.length > 2) throw new Error(`invalid port format '${text}'`);
    const local = parsePort(parts.length === 2 && first === "" ? "0" : first, "local");
    const remote = parsePort(second, "remote");
    if (remote === 0) throw new Error("remote port must be > 0");
    return { local, remote };
  });
}

function parsePort(text: string, side: "local" | "remote"): number {
  const fault = /^\d+$/.test(text) ? (Number(text) > 65535 ? "value out of range" : undefined) : "invalid syntax";
  if (fault === undefined) return Number(text);
  throw new Error(`error parsing ${side} port '${text}': strconv.ParseUint: parsing ${goQuote(text)}: ${fault}`);
}

/** An address to listen on. */
export interface ListenAddress {
  readonly address: string;
  readonly network: "tcp4" | "tcp6";
  /** One of localhost's two: one of them is enough. */
  readonly optional: boolean;
}

/** Parses IP addresses, and `localhost` as the addresses of both families, sorted by their texts. Throws in client-go's words. */
export function parseAddresses(texts: readonly string[]): readonly ListenAddress[] {
  if (texts.length === 0) throw new Error("you must specify at least 1 address");
  const addresses = new Map<string, ListenAddress>();
  for (const text of texts) {
    if (text === "localhost") {
      for (const address of ["127.0.0.1", "::1"]) {
        if (!addresses.has(address)) addresses.set(address, listenAddress(address, true));
      }
    } else if (isIP(text) === 0 || text.includes("%")) {
      throw new Error(`${text} is not a valid IP`);
    } else {
      addresses.set(text, listenAddress(text, false));
    }
  }
  return [...addresses.values()].sort((a, b) => (a.address < b.address ? -1 : 1));
}

/** Whether an IPv6 address stands for an IPv4 one: "::ffff:127.0.0.1". A socket for IPv6 alone cannot have it. */
const isMapped = (address: string): boolean =>
  /^\[::ffff:[\da-f]+:[\da-f]+\]$/.test(new URL(`http://[${address}]`).hostname);

const listenAddress = (address: string, optional: boolean): ListenAddress => ({
  address,
  network: isIPv4(address) || isMapped(address) ? "tcp4" : "tcp6",
  optional,
});

/** Joins host and port: "127.0.0.1:80", "[::1]:80". */
export const hostPort = (host: string, port: number): string =>
  host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
