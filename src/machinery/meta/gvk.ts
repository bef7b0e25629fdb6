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

/** `resource` is the lower-case plural, as in a URL. Partial ones (version or group "") are allowed where a mapper resolves them. */
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

/** The inverse of {@link parseGroupVersion}. */
export function formatGroupVersion({ group, version }: GroupVersion): string {
  return group === "" ? version : `${group}/${version}`;
}
