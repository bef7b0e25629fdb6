import { dictionary } from "../../base/collections/dictionary.js";
import json from "./data/kubernetes-1.36-delta.json" with { type: "json" };
import type { FactsFile, ReleaseDelta } from "./data.js";
import { Release } from "./release.js";
import { factsWithDelta } from "./with-delta.js";

// A server of the newest version does not load this module: it has what older versions have in place of the newest's facts.

/** By version. */
const deltas: Readonly<Record<string, ReleaseDelta>> = dictionary({
  "1.36": json as ReleaseDelta,
});

/**
 * The release of a version older than the newest, whose facts are given. Throws for a version without a delta.
 */
export function olderRelease(version: string, newest: FactsFile): Release {
  const delta = deltas[version];
  if (delta === undefined) throw new Error(`there is no delta of Kubernetes ${version}`);
  const { published, unpublished } = delta;
  return new Release({ version, facts: factsWithDelta(newest, published), unpublished });
}
