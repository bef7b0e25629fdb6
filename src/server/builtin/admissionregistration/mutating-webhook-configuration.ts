import type { MutatingWebhookConfiguration } from "../../../api/types/admissionregistration/v1.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { webhookConfigurationStrategy } from "./webhook-configuration.js";

export const mutatingWebhookConfigurationRecord: RecordOf<MutatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingwebhookconfigurations",
  strategy: webhookConfigurationStrategy,
};
