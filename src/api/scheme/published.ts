import type { Scheme } from "../../machinery/scheme/scheme.js";
import type { Release } from "../facts/release.js";
import { newestRelease } from "../facts/releases.js";
import { schemeOf } from "./register-kinds.js";
import { AUTOSCALING } from "../conversion/autoscaling/v1.js";
import { POD_CERTIFICATES } from "../conversion/certificate-request.js";
import { EVENTS } from "../conversion/event.js";
import { RESOURCE_BETA } from "../conversion/resource/v1beta1.js";
import type { VersionTable } from "../conversion/version-table.js";
import { defaultAlphaPolicyBinding } from "../defaults/policy.js";

const ADMISSION_ALPHA: VersionTable = {
  "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding": { applyDefaults: defaultAlphaPolicyBinding },
};

/** The conversions and defaults of single versions that releases serve, by default or when asked to. */
export const PUBLISHED: VersionTable = {
  ...ADMISSION_ALPHA,
  ...AUTOSCALING,
  ...EVENTS,
  ...POD_CERTIFICATES,
  ...RESOURCE_BETA,
};

/** Raise it when keys, defaults or conversions change what is stored although the facts do not. */
const RULES = 2;

/**
 * The id of the shape and the defaults with which servers of a release store objects. If a server with another id has written too,
 * stored objects are decoded and defaulted again when they are read.
 */
export const schemaEpochOf = ({ facts }: Release): string => `${facts.digest.slice(0, 16)}-${RULES}`;

const schemes = new WeakMap<Release, Scheme>();

/** The scheme of all kinds that a release publishes, at every version that a server can serve. It is built on first use. */
export function publishedScheme(release: Release = newestRelease): Scheme {
  let scheme = schemes.get(release);
  if (scheme === undefined) {
    scheme = schemeOf(release.definitions, release.facts.groups, [PUBLISHED]);
    schemes.set(release, scheme);
  }
  return scheme;
}
