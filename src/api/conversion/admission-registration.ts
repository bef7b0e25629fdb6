import { defaultAlphaPolicyBinding } from "../defaults/admission-bindings.js";
import { defaultBetaMutatingWebhooks, defaultBetaWebhooks } from "../defaults/retired/admissionregistration.js";
import type { VersionTable } from "./version-table.js";

const GROUP = "admissionregistration.k8s.io";

/** The shapes are those of v1. */
export const ADMISSION_REGISTRATION: VersionTable = {
  [`${GROUP}/v1alpha1/ValidatingAdmissionPolicyBinding`]: { applyDefaults: defaultAlphaPolicyBinding },
  [`${GROUP}/v1beta1/MutatingWebhookConfiguration`]: { applyDefaults: defaultBetaMutatingWebhooks },
  [`${GROUP}/v1beta1/ValidatingWebhookConfiguration`]: { applyDefaults: defaultBetaWebhooks },
};
