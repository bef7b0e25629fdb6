import type { JobSpec } from "../../types/batch/v1.js";
import type { WorkloadPodGroupSchedulingPolicy } from "../../types/scheduling/v1alpha3.js";
import type { FieldRules, TypeRules } from "../declarative/field-rules.js";
import { disruptionMode, resourceClaims, schedulingConstraints } from "../scheduling/scheduling-rules.js";

const policy: FieldRules<WorkloadPodGroupSchedulingPolicy> = {
  pointer: true,
  update: ["NoSet", "NoUnset"],
  struct: {
    union: ["basic", "gang"],
    fields: {
      basic: { pointer: true, struct: { fields: {} } },
      gang: { pointer: true, struct: { fields: { minCount: { pointer: true, minimum: 1 } } } },
    },
  },
};

/** The declared rules of a Job's spec.scheduling (K37-029). */
export const jobSchedulingRules: TypeRules<JobSpec> = {
  fields: {
    scheduling: {
      pointer: true,
      gate: "WorkloadWithJob",
      update: ["NoSet", "NoUnset"],
      struct: {
        fields: {
          schedulingPolicy: policy,
          schedulingConstraints: { pointer: true, struct: schedulingConstraints, immutable: true },
          disruptionMode: { pointer: true, struct: disruptionMode, immutable: true },
          resourceClaims: { ...resourceClaims, immutable: true },
        },
      },
    },
  },
};
