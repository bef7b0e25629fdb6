import type { Scheme } from "../../machinery/scheme/scheme.js";
import { PUBLISHED } from "./published.js";
import { RETIRED } from "../conversion/retired.js";
import type { Release } from "../facts/release.js";
import { newestRelease } from "../facts/releases.js";
import { allDefinitionsOf } from "../facts/unpublished.js";
import { schemeOf } from "./register-kinds.js";

const schemes = new WeakMap<Release, Scheme>();

/** The scheme of every version of every kind, retired versions included, as `convert` needs it. It is built on first use. */
export function allScheme(release: Release = newestRelease): Scheme {
  let scheme = schemes.get(release);
  if (scheme === undefined) {
    scheme = schemeOf(allDefinitionsOf(release), release.facts.groups, [PUBLISHED, RETIRED]);
    schemes.set(release, scheme);
  }
  return scheme;
}
