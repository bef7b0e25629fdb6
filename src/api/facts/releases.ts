import { inOrder } from "../../base/async/turns.js";
import json from "./data/kubernetes-1.37.json" with { type: "json" };
import type { FactsFile } from "./data.js";
import { Release } from "./release.js";
import { DEFAULT_VERSION, NEWEST_VERSION, servedVersionOf } from "../../machinery/served-versions.js";

/** The release of {@link NEWEST_VERSION}, whose facts are whole. */
export const newestRelease = new Release({ version: NEWEST_VERSION, facts: json as unknown as FactsFile });

/** By version. */
const loaded = new Map<string, Promise<Release>>();

/**
 * The release of a version as {@link servedVersionOf} reads it, the same object each time; that of {@link DEFAULT_VERSION} without a version. Rejects
 * as it throws.
 */
export async function releaseOf(text: string = DEFAULT_VERSION): Promise<Release> {
  const version = servedVersionOf(text);
  if (version === NEWEST_VERSION) return newestRelease;
  let release = loaded.get(version);
  if (release === undefined) {
    release = inOrder(import("./older-releases.js")).then(({ olderRelease }) =>
      olderRelease(version, newestRelease.facts),
    );
    loaded.set(version, release);
  }
  return release;
}
