import type { VersionTable } from "../version-table.js";
import { podDisruptionBudgetV1beta1 } from "./pod-disruption-budget.js";

/** policy/v1beta1. An Eviction is alike in both versions. */
export const POLICY: VersionTable = {
  "policy/v1beta1/PodDisruptionBudget": { conversion: podDisruptionBudgetV1beta1 },
};
