import { child, type Fields } from "../../machinery/meta/access.js";
import { roundAmounts } from "./amounts.js";
import { defaultHorizontalPodAutoscaler } from "./autoscaling.js";
import {
  defaultEndpoints,
  defaultLimitRange,
  defaultNamespace,
  defaultNode,
  defaultPersistentVolume,
  defaultResourceQuota,
  defaultSecret,
} from "./core.js";
import {
  defaultDeviceTaintRule,
  defaultResourceClaim,
  defaultResourceClaimTemplate,
  defaultResourceSlice,
} from "./devices.js";
import { defaultEndpointSlice } from "./discovery.js";
import { defaultFlowSchema, defaultPriorityLevel } from "./flow-control.js";
import { defaultPod, defaultTemplate } from "./pod.js";
import {
  defaultAdmissionPolicy,
  defaultAdmissionPolicyBinding,
  defaultApiService,
  defaultCsiDriver,
  defaultCustomResourceDefinition,
  defaultIngressClass,
  defaultMutatingWebhooks,
  defaultNetworkPolicy,
  defaultPriorityClass,
  defaultRoleBinding,
  defaultStorageClass,
  defaultWebhooks,
} from "./policy.js";
import { defaultService } from "./service.js";
import {
  defaultCronJob,
  defaultDaemonSet,
  defaultDeployment,
  defaultJob,
  defaultPersistentVolumeClaim,
  defaultReplicaSet,
  defaultReplicationController,
  defaultStatefulSet,
} from "./workloads.js";

/** Sets defaults in place. Idempotent. `now` is milliseconds since the epoch. */
export type Defaulter = (draft: Fields, now: number) => void;

/** By kind of the hub's version; "Kind" for the core group, else "Kind.group". */
const DEFAULTERS: Readonly<Record<string, Defaulter>> = {
  Endpoints: defaultEndpoints,
  LimitRange: defaultLimitRange,
  Namespace: defaultNamespace,
  Node: defaultNode,
  PersistentVolume: defaultPersistentVolume,
  PersistentVolumeClaim: defaultPersistentVolumeClaim,
  Pod: defaultPod,
  PodTemplate: (object) => defaultTemplate(object.template as Fields | undefined),
  ReplicationController: defaultReplicationController,
  ResourceQuota: defaultResourceQuota,
  Secret: defaultSecret,
  Service: defaultService,
  "CronJob.batch": defaultCronJob,
  "CSIDriver.storage.k8s.io": defaultCsiDriver,
  "ClusterRoleBinding.rbac.authorization.k8s.io": defaultRoleBinding,
  "CustomResourceDefinition.apiextensions.k8s.io": defaultCustomResourceDefinition,
  "APIService.apiregistration.k8s.io": defaultApiService,
  "DaemonSet.apps": defaultDaemonSet,
  "Deployment.apps": defaultDeployment,
  "DeviceTaintRule.resource.k8s.io": defaultDeviceTaintRule,
  "EndpointSlice.discovery.k8s.io": defaultEndpointSlice,
  "FlowSchema.flowcontrol.apiserver.k8s.io": defaultFlowSchema,
  "HorizontalPodAutoscaler.autoscaling": defaultHorizontalPodAutoscaler,
  "IngressClass.networking.k8s.io": defaultIngressClass,
  "Job.batch": defaultJob,
  "MutatingAdmissionPolicy.admissionregistration.k8s.io": defaultAdmissionPolicy,
  "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io": defaultAdmissionPolicyBinding,
  "MutatingWebhookConfiguration.admissionregistration.k8s.io": defaultMutatingWebhooks,
  "NetworkPolicy.networking.k8s.io": defaultNetworkPolicy,
  "PriorityClass.scheduling.k8s.io": defaultPriorityClass,
  "PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io": defaultPriorityLevel,
  "ReplicaSet.apps": defaultReplicaSet,
  "RuntimeClass.node.k8s.io": (object) => roundAmounts(child(child(object, "overhead") ?? {}, "podFixed")),
  "ResourceClaim.resource.k8s.io": defaultResourceClaim,
  "ResourceClaimTemplate.resource.k8s.io": defaultResourceClaimTemplate,
  "ResourceSlice.resource.k8s.io": defaultResourceSlice,
  "RoleBinding.rbac.authorization.k8s.io": defaultRoleBinding,
  "StatefulSet.apps": defaultStatefulSet,
  "StorageClass.storage.k8s.io": defaultStorageClass,
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io": defaultAdmissionPolicy,
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io": defaultAdmissionPolicyBinding,
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io": defaultWebhooks,
};

/**
 * Returns the function that sets the defaults of a kind which depend on other fields; undefined where there are none. The kind's
 * version is its hub's (see the builtin strategies).
 */
export function defaulterOf(group: string, kind: string): Defaulter | undefined {
  const key = group === "" ? kind : `${kind}.${group}`;
  return Object.hasOwn(DEFAULTERS, key) ? DEFAULTERS[key] : undefined;
}
