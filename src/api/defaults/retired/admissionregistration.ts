import { children, type Fields, list, setDefault } from "../../../machinery/meta/access.js";
import { defaultRulesAndPort } from "../policy.js";

/** admissionregistration.k8s.io/v1beta1, which was more lenient than v1. */
export function defaultBetaWebhooks(configuration: Fields): void {
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

export function defaultBetaMutatingWebhooks(configuration: Fields): void {
  defaultBetaWebhooks(configuration);
  for (const webhook of children(configuration, "webhooks")) setDefault(webhook, "reinvocationPolicy", "Never");
}
