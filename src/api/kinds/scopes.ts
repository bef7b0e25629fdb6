import { dictionary } from "../../base/collections/dictionary.js";

// Made by tools/generate-api-types.mjs of the API facts.

/** The built-in kinds of each group version: the namespaced ones, and those of the cluster. */
export const SCOPES: Readonly<Record<string, readonly [namespaced: string, cluster: string]>> = dictionary({
  "admissionregistration.k8s.io/v1": [
    "",
    "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration",
  ],
  "admissionregistration.k8s.io/v1alpha1": ["", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"],
  "admissionregistration.k8s.io/v1beta1": ["", "MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"],
  "apiextensions.k8s.io/v1": ["", "CustomResourceDefinition"],
  "apiregistration.k8s.io/v1": ["", "APIService"],
  "apps/v1": ["ControllerRevision DaemonSet Deployment ReplicaSet StatefulSet", ""],
  "authentication.k8s.io/v1": ["", "SelfSubjectReview TokenReview"],
  "authorization.k8s.io/v1": [
    "LocalSubjectAccessReview",
    "SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview",
  ],
  "autoscaling/v1": ["HorizontalPodAutoscaler", ""],
  "autoscaling/v2": ["HorizontalPodAutoscaler", ""],
  "batch/v1": ["CronJob Job", ""],
  "certificates.k8s.io/v1": ["PodCertificateRequest", "CertificateSigningRequest ClusterTrustBundle"],
  "certificates.k8s.io/v1beta1": ["PodCertificateRequest", "ClusterTrustBundle"],
  "coordination.k8s.io/v1": ["Lease", ""],
  "coordination.k8s.io/v1alpha2": ["LeaseCandidate", ""],
  "coordination.k8s.io/v1beta1": ["LeaseCandidate", ""],
  "discovery.k8s.io/v1": ["EndpointSlice", ""],
  "events.k8s.io/v1": ["Event", ""],
  "flowcontrol.apiserver.k8s.io/v1": ["", "FlowSchema PriorityLevelConfiguration"],
  "internal.apiserver.k8s.io/v1alpha1": ["", "StorageVersion"],
  "lifecycle.k8s.io/v1alpha1": ["Eviction EvictionRequest", ""],
  "networking.k8s.io/v1": ["Ingress NetworkPolicy", "IPAddress IngressClass ServiceCIDR"],
  "node.k8s.io/v1": ["", "RuntimeClass"],
  "policy/v1": ["PodDisruptionBudget", ""],
  "rbac.authorization.k8s.io/v1": ["Role RoleBinding", "ClusterRole ClusterRoleBinding"],
  "resource.k8s.io/v1": ["ResourceClaim ResourceClaimTemplate", "DeviceClass DeviceTaintRule ResourceSlice"],
  "resource.k8s.io/v1alpha3": ["", "DeviceTaintRule ResourcePoolStatusRequest"],
  "resource.k8s.io/v1beta1": ["ResourceClaim ResourceClaimTemplate", "DeviceClass ResourceSlice"],
  "resource.k8s.io/v1beta2": ["ResourceClaim ResourceClaimTemplate", "DeviceClass DeviceTaintRule ResourceSlice"],
  "scheduling.k8s.io/v1": ["", "PriorityClass"],
  "scheduling.k8s.io/v1alpha3": ["CompositePodGroup PodGroup Workload", ""],
  "scheduling.k8s.io/v1beta1": ["PodGroup Workload", ""],
  "storage.k8s.io/v1": ["CSIStorageCapacity", "CSIDriver CSINode StorageClass VolumeAttachment VolumeAttributesClass"],
  "storagemigration.k8s.io/v1": ["", "StorageVersionMigration"],
  "storagemigration.k8s.io/v1beta1": ["", "StorageVersionMigration"],
  v1: [
    "Binding ConfigMap Endpoints Event LimitRange PersistentVolumeClaim Pod PodTemplate ReplicationController ResourceQuota Secret Service ServiceAccount",
    "ComponentStatus Namespace Node PersistentVolume",
  ],
});
