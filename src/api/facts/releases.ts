import newestJson from "./data/kubernetes-1.37.json" with { type: "json" };
import olderJson from "./data/kubernetes-1.36-delta.json" with { type: "json" };
import type { FactsFile, ReleaseDelta } from "./data.js";
import { Release } from "./release.js";
import { DEFAULT_VERSION, servedVersionOf, UnservedVersionError } from "./served-versions.js";
import { factsWithDelta } from "./with-delta.js";

const newestFacts = newestJson as unknown as FactsFile;
const delta = olderJson as unknown as ReleaseDelta;

/** The release of {@link DEFAULT_VERSION}. */
export const defaultRelease = new Release({
  version: DEFAULT_VERSION,
  facts: factsWithDelta(newestFacts, delta.published),
  unpublished: delta.unpublished,
});

/** By version; a version that is not the default is made when it is first asked for. */
const loaders: Readonly<Record<string, () => Promise<Release>>> = {
  "1.37": async () => new Release({ version: "1.37", facts: newestFacts }),
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
