import { dictionary } from "../base/collections/dictionary.js";

/** The versions of Kubernetes that a server can be, the newest first. */
export const SERVED_VERSIONS: readonly string[] = ["1.37", "1.36"];

/** The newest version, which code without a server uses: the CLI, `kubets/api`. */
export const NEWEST_VERSION = "1.37";

/** The version of a server whose options name none. */
export const DEFAULT_VERSION = "1.37";

/** The patch releases that servers and nodes say they are. */
const PATCHES: Readonly<Record<string, number>> = dictionary({ "1.37": 1, "1.36": 3 });

/** Returns the minor version: 36 of "1.36". */
export const minorOf = (version: string): number => Number(version.split(".")[1]);

/** Returns the version before: "1.35" of "1.36". */
export const versionBefore = (version: string): string => `1.${minorOf(version) - 1}`;

/** Returns the git version: "v1.36.3" of "1.36". */
export const gitVersionOf = (version: string): string => `v${version}.${PATCHES[version] ?? 0}`;

/**
 * Returns the version "1.36" of "1.36", "v1.36", "v1.36.3" or "kube=1.36". Throws an UnservedVersionError for a version that is
 * not among {@link SERVED_VERSIONS}.
 */
export function servedVersionOf(text: string): string {
  const version = /^(?:kube=)?v?(\d+\.\d+)(?:\.\d+)?$/.exec(text)?.[1];
  if (version === undefined || !SERVED_VERSIONS.includes(version)) throw new UnservedVersionError(text);
  return version;
}

/** Thrown for a version of Kubernetes that a server cannot be; the message lists the possible ones. */
export class UnservedVersionError extends Error {
  override readonly name = "UnservedVersionError";

  constructor(version: string) {
    super(
      `"${version}" is no version of Kubernetes that is served: there are ${SERVED_VERSIONS.toSorted().join(", ")}`,
    );
  }
}
