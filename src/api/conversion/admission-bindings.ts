import { defaultAlphaPolicyBinding } from "../defaults/admission-bindings.js";
import type { VersionTable } from "./version-table.js";

export const ADMISSION_ALPHA: VersionTable = {
  "admissionregistration.k8s.io/v1alpha1/MutatingAdmissionPolicyBinding": { applyDefaults: defaultAlphaPolicyBinding },
};
