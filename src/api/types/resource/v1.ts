// Made by tools/generate-api-types.mjs of the API facts.
import type { NodeSelector } from "../core/v1.js";
import type { Condition, Int64, ListMeta, ObjectMeta, Quantity, RawExtension, Time } from "../meta/v1.js";

export type AllocationConfigSource = "FromClaim" | "FromClass";

export type DeviceAllocationMode = "All" | "ExactCount";

export type DeviceTaintEffect = "NoExecute" | "NoSchedule" | "None";

export type DeviceTolerationOperator = "Equal" | "Exists";

export type SkipNodeOperation = "*" | "NodePrepareResources" | "NodeUnprepareResources";

export interface AllocatedDeviceStatus {
  driver: string;
  pool: string;
  device: string;
  shareID?: string;
  conditions?: Condition[] | null;
  data?: RawExtension;
  networkData?: NetworkDeviceData;
}

export interface AllocationResult {
  devices?: DeviceAllocationResult;
  nodeSelector?: NodeSelector;
  allocationTimestamp?: Time;
}

export interface CELDeviceSelector {
  expression: string;
}

export interface CapacityRequestPolicy {
  default?: Quantity | null;
  validValues?: Quantity[];
  validRange?: CapacityRequestPolicyRange;
}

export interface CapacityRequestPolicyRange {
  min: Quantity;
  max?: Quantity;
  step?: Quantity;
}

export interface CapacityRequirements {
  requests?: Record<string, Quantity>;
}

export interface Counter {
  value: Quantity;
}

export interface CounterSet {
  name: string;
  counters: Record<string, Counter>;
}

export interface Device {
  name: string;
  attributes?: Record<string, DeviceAttribute>;
  capacity?: Record<string, DeviceCapacity>;
  consumesCounters?: DeviceCounterConsumption[];
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  taints?: DeviceTaint[];
  bindsToNode?: boolean;
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  allowMultipleAllocations?: boolean;
  nodeAllocatableResources?: Record<string, NodeAllocatableResource>;
}

export interface DeviceAllocationConfiguration {
  source: AllocationConfigSource;
  requests?: string[];
  opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceAllocationResult {
  results?: DeviceRequestAllocationResult[];
  config?: DeviceAllocationConfiguration[];
}

export interface DeviceAttribute {
  int?: Int64;
  bool?: boolean;
  string?: string;
  version?: string;
  ints?: Int64[];
  bools?: boolean[];
  strings?: string[];
  versions?: string[];
}

export interface DeviceCapacity {
  value: Quantity;
  requestPolicy?: CapacityRequestPolicy;
}

export interface DeviceClaim {
  requests?: DeviceRequest[] | null;
  constraints?: DeviceConstraint[];
  config?: DeviceClaimConfiguration[];
}

export interface DeviceClaimConfiguration {
  requests?: string[];
  opaque?: OpaqueDeviceConfiguration;
}

/** DeviceClass of resource.k8s.io/v1, since Kubernetes 1.34. Cluster-scoped; resource `deviceclasses`. */
export interface DeviceClass {
  kind?: "DeviceClass";
  apiVersion?: "resource.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: DeviceClassSpec;
}

export interface DeviceClassConfiguration {
  opaque?: OpaqueDeviceConfiguration;
}

export interface DeviceClassList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: DeviceClass[];
}

export interface DeviceClassSpec {
  selectors?: DeviceSelector[];
  config?: DeviceClassConfiguration[];
  extendedResourceName?: string;
}

export interface DeviceConstraint {
  requests?: string[];
  matchAttribute?: string;
  distinctAttribute?: string;
}

export interface DeviceCounterConsumption {
  counterSet: string;
  counters: Record<string, Counter>;
  compatibilityGroups?: string[];
}

export interface DeviceDerivedAttribute {
  name: string;
  expression: string;
}

export interface DeviceRequest {
  name: string;
  exactly?: ExactDeviceRequest;
  firstAvailable?: DeviceSubRequest[];
}

export interface DeviceRequestAllocationResult {
  request: string;
  driver: string;
  pool: string;
  device: string;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  bindingConditions?: string[];
  bindingFailureConditions?: string[];
  shareID?: string;
  consumedCapacity?: Record<string, Quantity>;
  skipNodeOperations?: SkipNodeOperation[];
}

export interface DeviceSelector {
  cel?: CELDeviceSelector;
}

export interface DeviceSubRequest {
  name: string;
  deviceClassName: string;
  selectors?: DeviceSelector[];
  allocationMode?: DeviceAllocationMode;
  count?: Int64;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
  derivedAttributes?: DeviceDerivedAttribute[];
}

export interface DeviceTaint {
  key: string;
  value?: string;
  effect: DeviceTaintEffect;
  timeAdded?: Time;
}

/** DeviceTaintRule of resource.k8s.io/v1, since Kubernetes 1.37. Cluster-scoped; resource `devicetaintrules`. */
export interface DeviceTaintRule {
  kind?: "DeviceTaintRule";
  apiVersion?: "resource.k8s.io/v1";
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

export interface DeviceToleration {
  key?: string;
  operator?: DeviceTolerationOperator;
  value?: string;
  effect?: DeviceTaintEffect;
  tolerationSeconds?: Int64;
}

export interface ExactDeviceRequest {
  deviceClassName: string;
  selectors?: DeviceSelector[];
  allocationMode?: DeviceAllocationMode;
  count?: Int64;
  adminAccess?: boolean;
  tolerations?: DeviceToleration[];
  capacity?: CapacityRequirements;
  derivedAttributes?: DeviceDerivedAttribute[];
}

export interface NetworkDeviceData {
  interfaceName?: string;
  ips?: string[];
  hardwareAddress?: string;
}

export interface NodeAllocatableMapping {
  capacityKey?: string;
  capacityMultiplier?: Quantity;
  deviceMultiplier?: Quantity;
}

export interface NodeAllocatableOverhead {
  perPod?: Quantity;
  perContainer?: Quantity;
}

export interface NodeAllocatableResource {
  mapping?: NodeAllocatableMapping;
  overhead?: NodeAllocatableOverhead;
}

export interface OpaqueDeviceConfiguration {
  driver: string;
  parameters: RawExtension;
}

/** ResourceClaim of resource.k8s.io/v1, since Kubernetes 1.34. Namespaced; resource `resourceclaims`. */
export interface ResourceClaim {
  kind?: "ResourceClaim";
  apiVersion?: "resource.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: ResourceClaimSpec;
  status?: ResourceClaimStatus;
}

export interface ResourceClaimConsumerReference {
  apiGroup?: string;
  resource: string;
  name: string;
  uid: string;
}

export interface ResourceClaimList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourceClaim[];
}

export interface ResourceClaimSpec {
  devices?: DeviceClaim;
}

export interface ResourceClaimStatus {
  allocation?: AllocationResult;
  reservedFor?: ResourceClaimConsumerReference[];
  devices?: AllocatedDeviceStatus[];
}

/** ResourceClaimTemplate of resource.k8s.io/v1, since Kubernetes 1.34. Namespaced; resource `resourceclaimtemplates`. */
export interface ResourceClaimTemplate {
  kind?: "ResourceClaimTemplate";
  apiVersion?: "resource.k8s.io/v1";
  metadata?: ObjectMeta;
  spec?: ResourceClaimTemplateSpec;
}

export interface ResourceClaimTemplateList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourceClaimTemplate[];
}

export interface ResourceClaimTemplateSpec {
  metadata?: ObjectMeta;
  spec?: ResourceClaimSpec;
}

export interface ResourcePool {
  name: string;
  generation: Int64;
  resourceSliceCount: Int64;
}

/** ResourceSlice of resource.k8s.io/v1, since Kubernetes 1.34. Cluster-scoped; resource `resourceslices`. */
export interface ResourceSlice {
  kind?: "ResourceSlice";
  apiVersion?: "resource.k8s.io/v1";
  metadata?: ObjectMeta;
  spec: ResourceSliceSpec;
}

export interface ResourceSliceList {
  kind?: string;
  apiVersion?: string;
  metadata?: ListMeta;
  items: ResourceSlice[];
}

export interface ResourceSliceSpec {
  driver: string;
  pool: ResourcePool;
  nodeName?: string;
  nodeSelector?: NodeSelector;
  allNodes?: boolean;
  devices?: Device[];
  perDeviceNodeSelection?: boolean;
  sharedCounters?: CounterSet[];
  partitionTypeAttribute?: string;
  skipNodeOperations?: SkipNodeOperation[];
}
