import type { PodGroup, PodGroupSpec, PodGroupStatus, Workload } from "../../../api/types/scheduling/v1beta1.js";
import type { CompositePodGroup } from "../../../api/types/scheduling/v1alpha3.js";
import {
  validateCompositePodGroup,
  validateCompositePodGroupStatusUpdate,
  validateCompositePodGroupUpdate,
  validatePodGroup,
  validatePodGroupStatusUpdate,
  validatePodGroupUpdate,
  validateWorkload,
  validateWorkloadUpdate,
} from "../../../api/validation/scheduling/pod-groups.js";
import { object, objects, type Received, text } from "../../../machinery/meta/received.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import type { StrategyContext, StrategyOf } from "../../registry/strategy.js";
import { age, name } from "../tables/cells.js";
import { columns, NAME_AND_AGE } from "../tables/columns.js";

/** The reference to a Workload in scheduling.k8s.io/v1alpha2, which Kubernetes 1.36 serves (K37-063). */
interface AlphaSpec {
  readonly podGroupTemplateRef?: { readonly workload?: { readonly workloadName?: string } };
}

/** The rules of 1.37's versions of the kinds. */
function since37<Kind>({
  validate,
  validateUpdate,
  validateStatusUpdate,
}: Pick<StrategyOf<Kind>, "validate" | "validateUpdate" | "validateStatusUpdate">): StrategyOf<Kind> {
  // K37-063: Kubernetes 1.36 has v1alpha2 alone, whose rules are not checked.
  const hasRules = ({ release }: StrategyContext): boolean => release.atLeast("1.37");
  return {
    validate: (object, context) => (hasRules(context) ? (validate?.(object, context) ?? []) : []),
    validateUpdate: (object, old, context) => (hasRules(context) ? (validateUpdate?.(object, old, context) ?? []) : []),
    validateStatusUpdate: (object, old, context) =>
      hasRules(context) ? (validateStatusUpdate?.(object, old, context) ?? []) : [],
  };
}

export const podGroupRecord: RecordOf<PodGroup> = {
  group: "scheduling.k8s.io",
  resource: "podgroups",
  strategy: {
    ...since37<PodGroup>({
      validate: validatePodGroup,
      validateUpdate: validatePodGroupUpdate,
      validateStatusUpdate: validatePodGroupStatusUpdate,
    }),
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
          workloadOf(spec),
          statusCell(object(group.status)),
          age(group, now),
        ];
      },
    ),
  },
};

function workloadOf(spec: Received<PodGroupSpec>): string {
  const alpha = (spec as Received<AlphaSpec>).podGroupTemplateRef;
  if (alpha !== undefined) return text(object(object(alpha).workload).workloadName);
  return spec.workloadRef === undefined ? "<none>" : text(object(spec.workloadRef).workloadName);
}

function statusCell(status: Received<PodGroupStatus>): string {
  const last = (type: string) => objects(status.conditions).findLast((condition) => condition.type === type);
  const disrupted = last("DisruptionTarget");
  if (disrupted !== undefined) return text(disrupted.reason);
  // The second is that of scheduling.k8s.io/v1alpha2 (K37-162).
  const scheduled = last("PodGroupInitiallyScheduled") ?? last("PodGroupScheduled");
  if (scheduled === undefined) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}

export const compositePodGroupRecord: RecordOf<CompositePodGroup> = {
  group: "scheduling.k8s.io",
  resource: "compositepodgroups",
  strategy: {
    validate: validateCompositePodGroup,
    validateUpdate: validateCompositePodGroupUpdate,
    validateStatusUpdate: validateCompositePodGroupStatusUpdate,
    columns: NAME_AND_AGE,
  },
};

export const workloadRecord: RecordOf<Workload> = {
  group: "scheduling.k8s.io",
  resource: "workloads",
  strategy: {
    ...since37<Workload>({ validate: validateWorkload, validateUpdate: validateWorkloadUpdate }),
    columns: NAME_AND_AGE,
  },
};
