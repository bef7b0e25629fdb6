import type { PriorityClass } from "../../../api/types/scheduling/v1.js";
import { validatePriorityClass, validatePriorityClassUpdate } from "../../../api/validation/priority-class.js";
import { number, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const priorityClassRecord: RecordOf<PriorityClass> = {
  group: "scheduling.k8s.io",
  resource: "priorityclasses",
  strategy: {
    hasGeneration: true,
    validate: validatePriorityClass,
    validateUpdate: validatePriorityClassUpdate,
    columns: columns(
      [
        "Name",
        ["Value:integer", "The priority that pods get; a higher one goes first."],
        ["Global-Default:boolean", "Whether pods without a class get this one."],
        "Age",
        ["PreemptionPolicy", "Whether pods of the class may displace others."],
      ],
      (priority, now) => [
        name(priority),
        number(priority.value),
        priority.globalDefault === true,
        age(priority, now),
        text(priority.preemptionPolicy),
      ],
    ),
  },
};
