import { inOrder } from "../../base/async/turns.js";
import json from "./data/kubernetes-1.37.json" with { type: "json" };
import type { FactsFile, ReleaseDelta } from "./data.js";
import { Release } from "./release.js";
import { DEFAULT_VERSION, NEWEST_VERSION, servedVersionOf } from "../../machinery/served-versions.js";
import { factsWithDelta } from "./with-delta.js";

/** The release of {@link NEWEST_VERSION}, whose facts are whole. */
export const newestRelease = new Release({ version: NEWEST_VERSION, facts: json as unknown as FactsFile });

/** Loads what an older version has in place of the newest's facts. */
const deltas: Readonly<Record<string, () => Promise<{ readonly default: unknown }>>> = {
  __proto__: null as never,
  "1.36": () => import("./data/kubernetes-1.36-delta.json", { with: { type: "json" } }),
};

/** By version. */
const loaded = new Map<string, Promise<Release>>();

/**
 * The release of a version as {@link servedVersionOf} reads it, the same object each time; that of {@link DEFAULT_VERSION} without a version. Rejects
 * as it throws.
 */
export async function releaseOf(text: string = DEFAULT_VERSION): Promise<Release> {
  const version = servedVersionOf(text);
  const load = deltas[version];
  if (load === undefined) return newestRelease;
  let release = loaded.get(version);
  if (release === undefined) {
    release = inOrder(load()).then(({ default: delta }) => olderRelease(version, delta as ReleaseDelta));
    loaded.set(version, release);
  }
  return release;
}

function olderRelease(version: string, { published, unpublished }: ReleaseDelta): Release {
  return new Release({ version, facts: factsWithDelta(newestRelease.facts, published), unpublished });
}
