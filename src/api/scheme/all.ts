import type { Scheme } from "../../machinery/scheme/scheme.js";
import { PUBLISHED } from "./published.js";
import { RETIRED } from "../conversion/retired.js";
import type { Release } from "../facts/release.js";
import { newestRelease } from "../facts/releases.js";
import { allDefinitionsOf } from "../facts/unpublished.js";
import { schemeOf } from "./register-kinds.js";

const schemes = new WeakMap<Release, Scheme>();

/** Every kind at every version there is a type of, those no longer served too: what `convert` needs. Built on first use. */
export function allScheme(release: Release = newestRelease): Scheme {
  let scheme = schemes.get(release);
  if (scheme === undefined) {
    scheme = schemeOf(allDefinitionsOf(release), release.facts.groups, [PUBLISHED, RETIRED]);
    schemes.set(release, scheme);
  }
  return scheme;
}
