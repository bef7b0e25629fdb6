import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { webhookConfigurationStrategy } from "./webhook-configuration.js";

export const validatingWebhookConfigurationRecord: ResourceRecord = {
  group: "admissionregistration.k8s.io",
  resource: "validatingwebhookconfigurations",
  strategy: webhookConfigurationStrategy,
};
