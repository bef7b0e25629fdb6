import { AUTOSCALING } from "./autoscaling/v1.js";
import { EVENTS } from "./event.js";
import { RESOURCE_BETA } from "./resource/v1beta1.js";
import type { VersionTable } from "./version-table.js";
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
