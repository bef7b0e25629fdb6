import type { Eviction, EvictionRequest } from "../../../api/types/lifecycle/v1alpha1.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { NAME_AND_AGE } from "../tables/columns.js";

// Kubernetes 1.37 serves them where --runtime-config names them. Their tables are not known beyond name and age (K37-120), and their rules
// (K37-062) are not checked.

/** A wish that a pod leaves its node. */
export const evictionRequestRecord: RecordOf<EvictionRequest> = {
  group: "lifecycle.k8s.io",
  resource: "evictionrequests",
  strategy: { columns: NAME_AND_AGE, hasGeneration: true },
};

/** The removal of a pod, in which its responders take turns. */
export const evictionRecord: RecordOf<Eviction> = {
  group: "lifecycle.k8s.io",
  resource: "evictions",
  strategy: { columns: NAME_AND_AGE, hasGeneration: true },
};
