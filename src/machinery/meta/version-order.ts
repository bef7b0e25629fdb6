/** "v1", "v2beta1", "v1alpha3"; anything else has no rank. */
const VERSION = /^v(\d+)(?:(alpha|beta)(\d+))?$/;

/**
 * Orders versions as Kubernetes does ("version priority" of custom resources): stable before beta before alpha, then the
 * higher number first; what is no such version comes last, by name. For `Array.sort`.
 */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [rank(left), rank(right)];
  if (a === undefined || b === undefined) {
    if (a !== undefined) return -1;
    if (b !== undefined) return 1;
    return left < right ? -1 : left > right ? 1 : 0;
  }
  return b.stability - a.stability || b.major - a.major || b.minor - a.minor;
}

function rank(version: string): { stability: number; major: number; minor: number } | undefined {
  const match = VERSION.exec(version);
  if (match === null) return undefined;
  const [, major, stage, minor] = match;
  return {
    stability: stage === undefined ? 2 : stage === "beta" ? 1 : 0,
    major: Number(major),
    minor: Number(minor ?? 0),
  };
}
