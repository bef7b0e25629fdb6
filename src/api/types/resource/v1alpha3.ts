// Made by tools/generate-api-types.mjs of the API facts.
import type { Condition, Int64, ListMeta, ObjectMeta, Quantity, Time } from "../meta/v1.js";

export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";

export interface DeviceTaint {
  key: string;
  value?: string;
  effect: DeviceTaintEffect;
  timeAdded?: Time;
}

/**
 * DeviceTaintRule of resource.k8s.io/v1alpha3, since Kubernetes 1.33. Cluster-scoped; resource `devicetaintrules`.
 * @deprecated since Kubernetes 1.36, removed in 1.39.
 */
export interface DeviceTaintRule {
  kind?: "DeviceTaintRule";
  apiVersion?: "resource.k8s.io/v1alpha3";
  metadata?: ObjectMeta;
  spec: DeviceTaintRuleSpec;
  status?: DeviceTaintRuleStatus;
}

export interface DeviceTaintRuleList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: DeviceTaintRule[];
}

export interface DeviceTaintRuleSpec {
  deviceSelector?: DeviceTaintSelector;
  taint: DeviceTaint;
}

export interface DeviceTaintRuleStatus {
  conditions?: Condition[];
}

export interface DeviceTaintSelector {
  driver?: string;
  pool?: string;
  device?: string;
}

export interface PartitionTypeStatus {
  attribute: string;
  type: string;
  total: number;
  allocatable: number;
}

export interface PoolStatus {
  driver: string;
  poolName: string;
  generation: Int64;
  resourceSliceCount?: number;
  totalDevices?: number;
  allocatedDevices?: number;
  availableDevices?: number;
  unavailableDevices?: number;
  nodeName?: string;
  validationError?: string;
  partitionSummary?: PartitionTypeStatus[];
  shareableSummary?: ShareableSummaryStatus;
}

/** ResourcePoolStatusRequest of resource.k8s.io/v1alpha3, since Kubernetes 1.36. Cluster-scoped; resource `resourcepoolstatusrequests`. */
export interface ResourcePoolStatusRequest {
  kind?: "ResourcePoolStatusRequest";
  apiVersion?: "resource.k8s.io/v1alpha3";
  metadata: ObjectMeta;
  spec: ResourcePoolStatusRequestSpec;
  status?: ResourcePoolStatusRequestStatus;
}

export interface ResourcePoolStatusRequestList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourcePoolStatusRequest[];
}

export interface ResourcePoolStatusRequestSpec {
  driver: string;
  poolName?: string;
  limit?: number;
  defaultPartitionTypeAttribute?: string;
}

export interface ResourcePoolStatusRequestStatus {
  poolCount: number;
  pools?: PoolStatus[];
  conditions?: Condition[];
}

export interface ShareableCapacityStatus {
  name: string;
  total: Quantity;
  consumed: Quantity;
  available: Quantity;
}

export interface ShareableSummaryStatus {
  fullyAvailableDevices: number;
  partiallyAvailableDevices: number;
  capacity?: ShareableCapacityStatus[];
}
