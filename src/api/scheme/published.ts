import type { Scheme } from "../../machinery/scheme/scheme.js";
import { facts } from "../facts/data.js";
import { publishedDefinitions } from "../facts/definitions.js";
import { schemeOf } from "./register-kinds.js";
import { AUTOSCALING } from "../conversion/autoscaling/v1.js";
import { EVENTS } from "../conversion/event.js";
import { RESOURCE_BETA } from "../conversion/resource/v1beta1.js";
import type { VersionTable } from "../conversion/version-table.js";
import { defaultAlphaPolicyBinding } from "../defaults/policy.js";

const ADMISSION_ALPHA: VersionTable = {
  "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding": { applyDefaults: defaultAlphaPolicyBinding },
};

/** Versions that 1.36 serves, by default or when asked to. */
export const PUBLISHED: VersionTable = {
  ...ADMISSION_ALPHA,
  ...AUTOSCALING,
  ...EVENTS,
  ...RESOURCE_BETA,
};

/** Raise it when keys, defaults or conversions change what is stored although the facts do not. */
const RULES = 2;

/** Names the shape and the defaults that objects are stored with: another one, and stored objects are decoded and defaulted anew. */
export const SCHEMA_EPOCH = `${facts.digest.slice(0, 16)}-${RULES}`;

let scheme: Scheme | undefined;

/** The kinds that 1.36 publishes, at every version it can be told to serve: what a server needs. Built on first use. */
export function publishedScheme(): Scheme {
  scheme ??= schemeOf(publishedDefinitions, [PUBLISHED]);
  return scheme;
}
