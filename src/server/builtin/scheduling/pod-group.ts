import type { PodGroup, PodGroupStatus, Workload } from "../../../api/types/scheduling/v1alpha2.js";
import { object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { age, name } from "../tables/cells.js";
import { columns, NAME_AND_AGE } from "../tables/columns.js";

export const podGroupRecord: RecordOf<PodGroup> = {
  group: "scheduling.k8s.io",
  resource: "podgroups",
  strategy: {
    columns: columns(
      [
        "Name",
        ["Policy", "Whether its pods are scheduled one by one or all together."],
        ["Workload", "The workload whose template it was made from."],
        ["Status", "Whether it is pending, scheduled or unschedulable, or why it is disrupted."],
        "Age",
      ],
      (group, now) => {
        const spec = object(group.spec);
        return [
          name(group),
          object(spec.schedulingPolicy).gang === undefined ? "Basic" : "Gang",
          spec.podGroupTemplateRef === undefined
            ? "<none>"
            : text(object(object(spec.podGroupTemplateRef).workload).workloadName),
          statusCell(object(group.status)),
          age(group, now),
        ];
      },
    ),
  },
};

function statusCell(status: Received<PodGroupStatus>): string {
  const last = (type: string) => objects(status.conditions).findLast((condition) => condition.type === type);
  const disrupted = last("DisruptionTarget");
  if (disrupted !== undefined) return text(disrupted.reason);
  const scheduled = last("PodGroupScheduled");
  if (scheduled === undefined) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}

export const workloadRecord: RecordOf<Workload> = {
  group: "scheduling.k8s.io",
  resource: "workloads",
  strategy: { columns: NAME_AND_AGE },
};
