import {
  validateWebhookConfiguration,
  validateWebhookConfigurationUpdate,
} from "../../../api/validation/admissionregistration/webhooks.js";
import { webhookConditionSteps } from "../../../api/validation/admissionregistration/admission-rules.js";
import { inSlices } from "../../../base/async/time-slice.js";
import { list } from "../../../machinery/meta/access.js";
import type { Strategy } from "../../registry/strategy.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

/** The strategy of mutating and validating webhook configurations. */
export const webhookConfigurationStrategy: Strategy = {
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  beforeValidation: (configuration) => inSlices(webhookConditionSteps(configuration)),
  validate: validateWebhookConfiguration,
  validateUpdate: validateWebhookConfigurationUpdate,
  columns: columns(["Name", ["Webhooks:integer", "How many webhooks it has."], "Age"], (configuration, now) => [
    name(configuration),
    list(configuration.webhooks).length,
    age(configuration, now),
  ]),
};
