/** A block of IPv4 addresses: "10.96.0.0/12". Addresses are unsigned numbers. */
export interface Ipv4Prefix {
  /** The address all others begin with: 10.96.0.0. No host has it, nor the last of the block. */
  readonly network: number;
  readonly broadcast: number;
}

/** Undefined for what is not an IPv4 block in its normal form, without bits beyond the prefix. */
export function parseIpv4Prefix(text: string): Ipv4Prefix | undefined {
  const [, address = "", length = ""] = /^([0-9.]+)\/(0|[1-9][0-9]?)$/.exec(text) ?? [];
  const network = parseIpv4(address);
  if (network === undefined || Number(length) > 32) return undefined;
  const size = 2 ** (32 - Number(length));
  return network % size === 0 ? { network, broadcast: network + size - 1 } : undefined;
}

/** Whether a host of the block may have the address. */
export function isHostOf({ network, broadcast }: Ipv4Prefix, address: number): boolean {
  return address > network && address < broadcast;
}

/** Undefined for what is not four decimal numbers below 256, or has leading zeros. */
export function parseIpv4(text: string): number | undefined {
  const parts = text.split(".");
  const valid = parts.length === 4 && parts.every((part) => /^(0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256);
  return valid ? parts.reduce((sum, part) => sum * 256 + Number(part), 0) : undefined;
}

export function formatIpv4(address: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join(".");
}
