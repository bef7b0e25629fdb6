import type { PersistentVolumeClaimStatus, PodStatus, VolumeHealthCondition } from "../../types/core/v1.js";
import type { FieldRules, TypeRules } from "../declarative/field-rules.js";

// What CSI drivers tell of the health of volumes (K37-026).

const healthConditions: FieldRules<VolumeHealthCondition[]> = {
  keys: ["status", "reason"],
  maxItems: 16,
  items: {
    fields: {
      status: { required: true, enum: ["Inaccessible", "DataLoss", "Degraded"] },
      reason: { required: true, maxBytes: 256 },
      message: { maxBytes: 1024 },
    },
  },
};

/** The declared rules for the status of a claim. */
export const claimHealthRules: TypeRules<PersistentVolumeClaimStatus> = {
  fields: { healthStatus: { pointer: true, struct: { fields: { healthConditions } } } },
};

/** The declared rules for the status of a pod. */
export const podHealthRules: TypeRules<PodStatus> = {
  fields: {
    volumeHealth: { keys: ["name"], items: { fields: { name: { required: true }, healthConditions } } },
  },
};
