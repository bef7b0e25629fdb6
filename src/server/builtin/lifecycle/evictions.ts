import type { Eviction, EvictionRequest } from "../../../api/types/lifecycle/v1alpha1.js";
import {
  validateEviction,
  validateEvictionRequest,
  validateEvictionRequestStatusUpdate,
  validateEvictionRequestUpdate,
  validateEvictionStatusUpdate,
  validateEvictionUpdate,
} from "../../../api/validation/lifecycle/evictions.js";
import type { RecordOf } from "../../endpoints/resource-record.js";
import { NAME_AND_AGE } from "../tables/columns.js";

// The kinds Eviction and EvictionRequest of lifecycle.k8s.io. The subresource pods/eviction, which `kubectl drain` calls, is in
// ../core/pods/pod-eviction.ts.
// Kubernetes 1.37 serves them where --runtime-config names them. Their tables are not known beyond name and age (K37-120).

/** A wish that a pod leaves its node. */
export const evictionRequestRecord: RecordOf<EvictionRequest> = {
  group: "lifecycle.k8s.io",
  resource: "evictionrequests",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validate: validateEvictionRequest,
    validateUpdate: validateEvictionRequestUpdate,
    validateStatusUpdate: validateEvictionRequestStatusUpdate,
    columns: NAME_AND_AGE,
  },
};

/** The record of Evictions (lifecycle.k8s.io): the removal of a pod, in which its responders act one after the other. */
export const evictionRecord: RecordOf<Eviction> = {
  group: "lifecycle.k8s.io",
  resource: "evictions",
  strategy: {
    hasGeneration: true,
    allowUnconditionalUpdate: false,
    validate: validateEviction,
    validateUpdate: validateEvictionUpdate,
    validateStatusUpdate: validateEvictionStatusUpdate,
    columns: NAME_AND_AGE,
  },
};
