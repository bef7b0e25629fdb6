import type { ValidatingWebhookConfiguration } from "../../../api/types/admissionregistration/v1.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { webhookConfigurationStrategy } from "./webhook-configuration.js";

export const validatingWebhookConfigurationRecord: RecordOf<ValidatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  resource: "validatingwebhookconfigurations",
  strategy: webhookConfigurationStrategy,
};
