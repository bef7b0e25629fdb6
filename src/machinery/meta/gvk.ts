export interface GroupVersion {
  /** "" is the core group. */
  readonly group: string;
  readonly version: string;
}

export interface GroupKind {
  readonly group: string;
  readonly kind: string;
}

export interface GroupVersionKind extends GroupVersion {
  readonly kind: string;
}

/** A resource by its lower-case plural, as in a URL. Where a mapper resolves it, version and group may be "". */
export interface GroupVersionResource extends GroupVersion {
  readonly resource: string;
}

/** Parses an apiVersion: "v1" is version v1 of the core group, "apps/v1" version v1 of apps. Throws for more than one slash. */
export function parseGroupVersion(apiVersion: string): GroupVersion {
  const parts = apiVersion.split("/");
  if (parts.length === 1) return { group: "", version: apiVersion };
  const [group, version] = parts;
  if (parts.length !== 2 || group === undefined || version === undefined) {
    throw new Error(`unexpected GroupVersion string: ${apiVersion}`);
  }
  return { group, version };
}

/** Formats a group version; the inverse of {@link parseGroupVersion}. */
export function formatGroupVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}

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
