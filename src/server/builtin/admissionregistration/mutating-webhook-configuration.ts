import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { webhookConfigurationStrategy } from "./webhook-configuration.js";

export const mutatingWebhookConfigurationRecord: ResourceRecord = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingwebhookconfigurations",
  strategy: webhookConfigurationStrategy,
};
