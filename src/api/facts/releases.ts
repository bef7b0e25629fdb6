import { inOrder } from "../../base/async/turns.js";
import json from "./data/kubernetes-1.37.json" with { type: "json" };
import { Release } from "./release.js";
import { DEFAULT_VERSION, NEWEST_VERSION, servedVersionOf } from "../../machinery/served-versions.js";

/** The release of {@link NEWEST_VERSION}, whose facts are complete. */
export const newestRelease = new Release({ version: NEWEST_VERSION, facts: json });

/** By version. */
const loaded = new Map<string, Promise<Release>>();

/**
 * Finds the release of a version in any form that {@link servedVersionOf} accepts, the same object each time; without a version
 * that of {@link DEFAULT_VERSION}. Rejects with its error.
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
