import type { PodDisruptionBudget } from "../../../api/types/policy/v1.js";
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatusUpdate,
  validatePodDisruptionBudgetUpdate,
} from "../../../api/validation/disruption-budget.js";
import { number, object } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const podDisruptionBudgetRecord: RecordOf<PodDisruptionBudget> = {
  group: "policy",
  resource: "poddisruptionbudgets",
  strategy: {
    hasGeneration: true,
    validate: validatePodDisruptionBudget,
    validateUpdate: validatePodDisruptionBudgetUpdate,
    validateStatusUpdate: validatePodDisruptionBudgetStatusUpdate,
    allowUnconditionalUpdate: false,
    columns: columns(
      [
        "Name",
        ["Min Available", "The fewest pods that have to stay available."],
        ["Max Unavailable", "The most pods that may be unavailable."],
        ["Allowed Disruptions:integer", "How many pods may be evicted now."],
        "Age",
      ],
      (budget, now) => {
        const spec = object(budget.spec);
        return [
          name(budget),
          intOrStringCell(spec.minAvailable),
          intOrStringCell(spec.maxUnavailable),
          number(object(budget.status).disruptionsAllowed),
          age(budget, now),
        ];
      },
    ),
  },
};

function intOrStringCell(value: unknown): string {
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value : "N/A";
}
