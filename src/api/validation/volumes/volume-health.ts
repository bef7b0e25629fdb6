import type { FieldRules, TypeRules } from "../declarative/field-rules.js";

// What CSI drivers tell of the health of volumes (K37-026).

const healthConditions: FieldRules = {
  keys: ["status", "reason"],
  maxItems: 16,
  items: () => ({
    fields: {
      status: { required: true, enum: ["Inaccessible", "DataLoss", "Degraded"] },
      reason: { required: true, maxBytes: 256 },
      message: { maxBytes: 1024 },
    },
  }),
};

/** The declared rules for the status of a claim. */
export const claimHealthRules: TypeRules = {
  fields: { healthStatus: { pointer: true, struct: () => ({ fields: { healthConditions } }) } },
};

/** The declared rules for the status of a pod. */
export const podHealthRules: TypeRules = {
  fields: {
    volumeHealth: { keys: ["name"], items: () => ({ fields: { name: { required: true }, healthConditions } }) },
  },
};
