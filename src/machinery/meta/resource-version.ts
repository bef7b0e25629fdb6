/**
 * Compares two resourceVersions of one resource on one server: negative when `a` is older, 0 when they are the same, positive
 * when `a` is newer. Undefined for one that is not a decimal number, which servers other than Kubernetes' own may send.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (!VERSION.test(a) || !VERSION.test(b)) return undefined;
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** A number above 0 without leading zeros. */
const VERSION = /^[1-9]\d*$/;
