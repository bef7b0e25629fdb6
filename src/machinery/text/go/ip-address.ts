const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * The 4 or 16 bytes of an IP address; undefined for what is none. An IPv4 address that is written as an IPv6 one has 4, as in Go. (To
 * load node:net for its isIP would take the executable 2 ms.)
 */
export function bytesOfAddress(text: string): Uint8Array | undefined {
  if (IPV4.test(text)) return Uint8Array.from(text.split("."), Number);
  if (!text.includes(":") || /[^0-9a-fA-F:.]/.test(text)) return undefined;
  const normal = normalIpv6(text);
  if (normal === undefined) return undefined;
  const [head = "", tail] = normal.split("::");
  const groups = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((group) => Number.parseInt(group, 16));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return withoutMapping(Uint8Array.from([...before, ...zeros, ...after].flatMap((group) => [group >> 8, group & 255])));
}

/** Formats an address of 4 or 16 bytes in its normal form: RFC 5952 for IPv6. */
export function textOfAddress(bytes: Uint8Array): string {
  const shown = withoutMapping(bytes);
  if (shown.length === 4) return shown.join(".");
  const groups = Array.from({ length: 8 }, (_, index) =>
    (((shown[2 * index] ?? 0) << 8) | (shown[2 * index + 1] ?? 0)).toString(16),
  );
  return normalIpv6(groups.join(":")) ?? groups.join(":");
}

function normalIpv6(text: string): string | undefined {
  try {
    return new URL(`http://[${text}]/`).hostname.slice(1, -1);
  } catch {
    return undefined;
  }
}

/** Returns the 4 bytes of an IPv4 address that is mapped into IPv6; any other address unchanged. */
export function withoutMapping(bytes: Uint8Array): Uint8Array {
  const mapped = bytes.length === 16 && bytes.subarray(0, 12).every((byte, index) => byte === (index < 10 ? 0 : 255));
  return mapped ? bytes.subarray(12) : bytes;
}
