import type {
  MutatingWebhookConfiguration,
  ValidatingWebhookConfiguration,
} from "../../../api/types/admissionregistration/v1.js";
import { webhookConditionSteps } from "../../../api/validation/admissionregistration/admission-rules.js";
import {
  validateWebhookConfiguration,
  validateWebhookConfigurationUpdate,
} from "../../../api/validation/admissionregistration/webhooks.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { list } from "../../../machinery/meta/received.js";
import type { StrategyOf } from "../../registry/strategy.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { staticNameErrors } from "../../../api/validation/admissionregistration/admission-rules.js";

/** The strategy of mutating and validating webhook configurations. */
const webhookConfigurationStrategy: StrategyOf<ValidatingWebhookConfiguration | MutatingWebhookConfiguration> = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  beforeValidation: (configuration) => inSlices(webhookConditionSteps(configuration)),
  validate: (configuration, context) => [
    ...validateWebhookConfiguration(configuration),
    ...staticNameErrors(configuration, context),
  ],
  validateUpdate: validateWebhookConfigurationUpdate,
  columns: columns(["Name", ["Webhooks:integer", "How many webhooks it has."], "Age"], (configuration, now) => [
    name(configuration),
    list(configuration.webhooks).length,
    age(configuration, now),
  ]),
};

export const mutatingWebhookConfigurationRecord: RecordOf<MutatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  resource: "mutatingwebhookconfigurations",
  strategy: webhookConfigurationStrategy,
};

export const validatingWebhookConfigurationRecord: RecordOf<ValidatingWebhookConfiguration> = {
  group: "admissionregistration.k8s.io",
  resource: "validatingwebhookconfigurations",
  strategy: webhookConfigurationStrategy,
};
