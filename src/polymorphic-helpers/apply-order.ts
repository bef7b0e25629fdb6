import type { GroupKind } from "../machinery/meta/gvk.js";

/** The kinds that must be ready before other objects can be applied, in order. */
export const FOUNDATIONS: readonly string[] = ["Namespace", "CustomResourceDefinition.apiextensions.k8s.io"];

/**
 * Kinds in the order in which a set of objects is best applied: what others name or are checked against comes first, and what
 * runs only when all it mounts and refers to is there.
 */
const EARLY: readonly string[] = [
  ...FOUNDATIONS,
  // What pods are admitted by, classed by, and limited by.
  "PriorityClass.scheduling.k8s.io",
  "RuntimeClass.node.k8s.io",
  "StorageClass.storage.k8s.io",
  "VolumeAttributesClass.storage.k8s.io",
  "CSIDriver.storage.k8s.io",
  "IngressClass.networking.k8s.io",
  "DeviceClass.resource.k8s.io",
  "ResourceQuota",
  "LimitRange",
  "NetworkPolicy.networking.k8s.io",
  // Who they run as, and what that may do.
  "ServiceAccount",
  "ClusterRole.rbac.authorization.k8s.io",
  "Role.rbac.authorization.k8s.io",
  "ClusterRoleBinding.rbac.authorization.k8s.io",
  "RoleBinding.rbac.authorization.k8s.io",
  // What they mount.
  "Secret",
  "ConfigMap",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "ResourceClaimTemplate.resource.k8s.io",
  "ResourceClaim.resource.k8s.io",
  // Addresses are in the environment of pods that start later.
  "Service",
  "EndpointSlice.discovery.k8s.io",
  "Endpoints",
  "PodTemplate",
  "PodDisruptionBudget.policy",
  "DaemonSet.apps",
  "StatefulSet.apps",
  "Deployment.apps",
  "ReplicationController",
  "ReplicaSet.apps",
  "Pod",
  "CronJob.batch",
  "Job.batch",
  "HorizontalPodAutoscaler.autoscaling",
  "Ingress.networking.k8s.io",
];

/** After everything else, custom resources included: from then on every write is held against them, or answered by them. */
const LATE: readonly string[] = [
  "APIService.apiregistration.k8s.io",
  "ValidatingAdmissionPolicy.admissionregistration.k8s.io",
  "ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io",
  "MutatingAdmissionPolicy.admissionregistration.k8s.io",
  "MutatingAdmissionPolicyBinding.admissionregistration.k8s.io",
  "MutatingWebhookConfiguration.admissionregistration.k8s.io",
  "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
];

/** Every kind with its own place in the order. */
export const PLACED_KINDS: readonly string[] = [...EARLY, ...LATE];

const PLACES = new Map([
  ...EARLY.map((kind, place) => [kind, place] as const),
  ...LATE.map((kind, place) => [kind, EARLY.length + 1 + place] as const),
]);

/** Names a kind as the lists of this file do: "Deployment.apps", "Pod". */
export const kindKey = ({ group, kind }: GroupKind): string => (group === "" ? kind : `${kind}.${group}`);

/** The place of a kind in the order: smaller numbers come first. A kind that is not listed comes between workloads and admission webhooks. */
export const applyPlace = (kind: GroupKind): number => PLACES.get(kindKey(kind)) ?? EARLY.length;
