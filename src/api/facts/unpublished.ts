import json from "./data/unpublished.json" with { type: "json" };
import type { UnpublishedFile } from "./data.js";
import { Definitions } from "./definitions.js";
import type { Release } from "./release.js";
import { newestRelease } from "./releases.js";
import { unpublishedWithDelta } from "./with-delta.js";

const newest: UnpublishedFile = json;
const made = new WeakMap<Release, Definitions>();

/**
 * All definitions: those that a release publishes, the versions that are no longer served (extensions/v1beta1,
 * autoscaling/v2beta2), and kinds that are sent but are no resources (AdmissionReview). They are for conversion; a server loads
 * them only when it converts such kinds.
 */
export function allDefinitionsOf(release: Release): Definitions {
  let definitions = made.get(release);
  if (definitions === undefined) {
    const { unpublished } = release;
    const file = unpublished === undefined ? newest : unpublishedWithDelta(newest, unpublished);
    definitions = new Definitions(file, release.definitions);
    made.set(release, definitions);
  }
  return definitions;
}

/** All definitions of the newest release, for code that does not know a server. */
export const allDefinitions = allDefinitionsOf(newestRelease);
