import { absent, object } from "../../machinery/meta/received.js";
import { formatSelectorObject } from "../../machinery/selectors/api-label-selector.js";
import type { Describer } from "./describer.js";
import { describeEvents, eventsOf } from "./events.js";
import { scalar, whole } from "./go-fields.js";
import { describeName } from "./labels.js";

export const describePodDisruptionBudget: Describer = async (namespace, name, description, context) => {
  const budget = await context.reader.get("policy/v1/PodDisruptionBudget", namespace, name);
  const events = await eventsOf(budget, "PodDisruptionBudget", context);
  const { minAvailable, maxUnavailable, selector } = object(budget.spec);
  const status = object(budget.status);
  describeName(description, budget);
  if (!absent(minAvailable)) description.write(0, `Min available:\t${scalar(minAvailable)}\n`);
  else if (!absent(maxUnavailable)) description.write(0, `Max unavailable:\t${scalar(maxUnavailable)}\n`);
  const selected = absent(selector) ? "<unset>" : formatSelectorObject(selector);
  description.write(0, `Selector:\t${selected}\n`);
  description.write(0, "Status:\n");
  description.write(2, `Allowed disruptions:\t${whole(status.disruptionsAllowed)}\n`);
  description.write(2, `Current:\t${whole(status.currentHealthy)}\n`);
  description.write(2, `Desired:\t${whole(status.desiredHealthy)}\n`);
  description.write(2, `Total:\t${whole(status.expectedPods)}\n`);
  describeEvents(description, events, context);
};
