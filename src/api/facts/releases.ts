import newestJson from "./data/kubernetes-1.37.json" with { type: "json" };
import olderJson from "./data/kubernetes-1.36-delta.json" with { type: "json" };
import type { FactsFile, ReleaseDelta } from "./data.js";
import { Release } from "./release.js";
import { factsWithDelta } from "./with-delta.js";

const newestFacts = newestJson as unknown as FactsFile;
const delta = olderJson as unknown as ReleaseDelta;

/** What a server is when nothing says otherwise, and what code without a server goes by: kubectl's side, `kubets/api`. */
export const defaultRelease = new Release({
  version: "1.36",
  patch: 3,
  facts: factsWithDelta(newestFacts, delta.published),
  unpublished: delta.unpublished,
});

/** The versions that a server can be, the newest first. */
export const SERVED_VERSIONS: readonly string[] = ["1.37", "1.36"];

/** By version; a version that is not the default is made when it is first asked for. */
const loaders: Readonly<Record<string, () => Promise<Release>>> = {
  "1.37": async () => new Release({ version: "1.37", patch: 1, facts: newestFacts }),
};

const loaded = new Map<string, Promise<Release>>([[defaultRelease.version, Promise.resolve(defaultRelease)]]);

/**
 * The release of a version as {@link servedVersionOf} reads it, the same object each time; the default release without a version. Rejects as it
 * throws.
 */
export async function releaseOf(text?: string): Promise<Release> {
  if (text === undefined) return defaultRelease;
  const version = servedVersionOf(text);
  let release = loaded.get(version);
  if (release === undefined) {
    release = loaders[version]?.() ?? Promise.reject(new UnservedVersionError(version));
    loaded.set(version, release);
  }
  return release;
}

/** "1.36" of "1.36", "v1.36", "v1.36.3" or "kube=1.36". Throws an UnservedVersionError for what is none of {@link SERVED_VERSIONS}. */
export function servedVersionOf(text: string): string {
  const version = /^(?:kube=)?v?(\d+\.\d+)(?:\.\d+)?$/.exec(text)?.[1];
  if (version === undefined || !SERVED_VERSIONS.includes(version)) throw new UnservedVersionError(text);
  return version;
}

/** A version of Kubernetes that a server cannot be; the message lists those that it can be. */
export class UnservedVersionError extends Error {
  override readonly name = "UnservedVersionError";

  constructor(version: string) {
    super(
      `"${version}" is no version of Kubernetes that is served: there are ${SERVED_VERSIONS.toSorted().join(", ")}`,
    );
  }
}
