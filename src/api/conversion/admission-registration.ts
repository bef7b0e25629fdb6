import { defaultAlphaPolicyBinding, defaultRulesAndPort } from "../defaults/policy.js";
import type { VersionTable } from "./version-table.js";
import { children, type Fields, list, setDefault } from "../../machinery/meta/access.js";

const GROUP = "admissionregistration.k8s.io";

/** The versions of admissionregistration.k8s.io, whose shapes are v1's. */
export const ADMISSION_REGISTRATION: VersionTable = {
  [`${GROUP}/v1alpha1/ValidatingAdmissionPolicyBinding`]: { applyDefaults: defaultAlphaPolicyBinding },
  [`${GROUP}/v1beta1/MutatingWebhookConfiguration`]: { applyDefaults: defaultBetaMutatingWebhooks },
  [`${GROUP}/v1beta1/ValidatingWebhookConfiguration`]: { applyDefaults: defaultBetaWebhooks },
};

/** admissionregistration.k8s.io/v1beta1, which was more lenient than v1. */
function defaultBetaWebhooks(configuration: Fields): void {
  for (const webhook of children(configuration, "webhooks")) {
    setDefault(webhook, "failurePolicy", "Ignore");
    setDefault(webhook, "matchPolicy", "Exact");
    setDefault(webhook, "namespaceSelector", {});
    setDefault(webhook, "objectSelector", {});
    setDefault(webhook, "sideEffects", "Unknown");
    setDefault(webhook, "timeoutSeconds", 30);
    if (list(webhook.admissionReviewVersions).length === 0) webhook.admissionReviewVersions = ["v1beta1"];
    defaultRulesAndPort(webhook);
  }
}

function defaultBetaMutatingWebhooks(configuration: Fields): void {
  defaultBetaWebhooks(configuration);
  for (const webhook of children(configuration, "webhooks")) setDefault(webhook, "reinvocationPolicy", "Never");
}
