import { validatePriorityClass, validatePriorityClassUpdate } from "../../../api/validation/priority-class.js";
import { number, text } from "../../../machinery/meta/access.js";
import type { ResourceRecord } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns } from "../tables/columns.js";

export const priorityClassRecord: ResourceRecord = {
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
