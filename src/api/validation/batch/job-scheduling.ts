import type { FieldRules, TypeRules } from "../declarative/field-rules.js";
import { disruptionMode, pointerTo, resourceClaims, schedulingConstraints } from "../scheduling/scheduling-rules.js";

const optionalCount: TypeRules = { fields: { minCount: { pointer: true, minimum: 1 } } };

const policy: FieldRules = {
  pointer: true,
  update: ["NoSet", "NoUnset"],
  struct: () => ({
    union: ["basic", "gang"],
    fields: { basic: pointerTo({ fields: {} }), gang: pointerTo(optionalCount) },
  }),
};

/** The declared rules of a Job's spec.scheduling (K37-029). */
export const jobSchedulingRules: TypeRules = {
  fields: {
    scheduling: {
      pointer: true,
      gate: "WorkloadWithJob",
      update: ["NoSet", "NoUnset"],
      struct: () => ({
        fields: {
          schedulingPolicy: policy,
          schedulingConstraints: { ...pointerTo(schedulingConstraints), immutable: true },
          disruptionMode: { ...pointerTo(disruptionMode), immutable: true },
          resourceClaims: { ...resourceClaims, immutable: true },
        },
      }),
    },
  },
};
