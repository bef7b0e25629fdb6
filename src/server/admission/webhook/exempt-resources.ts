import type { GroupResource } from "../../../machinery/errors/status-error.js";

/** The configurations of admission. Webhooks do not see them: a webhook that refuses everything could not be removed. */
const CONFIGURATIONS: ReadonlySet<string> = new Set([
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
]);

export const isExempt = ({ group, resource }: GroupResource): boolean =>
  group === "admissionregistration.k8s.io" && CONFIGURATIONS.has(resource);
