// Made by tools/generate-builtin-records.mjs of the files beside it.
import type { ResourceRecord } from "../endpoints/resource-record.js";
import { mutatingAdmissionPolicyRecord } from "./admissionregistration/admission-policies.js";
import { validatingAdmissionPolicyRecord } from "./admissionregistration/admission-policies.js";
import { mutatingAdmissionPolicyBindingRecord } from "./admissionregistration/admission-policies.js";
import { validatingAdmissionPolicyBindingRecord } from "./admissionregistration/admission-policies.js";
import { mutatingWebhookConfigurationRecord } from "./admissionregistration/webhook-configuration.js";
import { validatingWebhookConfigurationRecord } from "./admissionregistration/webhook-configuration.js";
import { customResourceDefinitionRecord } from "./apiextensions/custom-resource-definition.js";
import { apiServiceRecord } from "./apiregistration/api-service.js";
import { controllerRevisionRecord } from "./apps/controller-revision.js";
import { daemonSetRecord } from "./apps/daemon-set.js";
import { deploymentRecord } from "./apps/deployment.js";
import { replicaSetRecord } from "./apps/replica-set.js";
import { statefulSetRecord } from "./apps/stateful-set.js";
import { selfSubjectReviewRecord } from "./authentication/reviews.js";
import { tokenReviewRecord } from "./authentication/reviews.js";
import { subjectAccessReviewRecord } from "./authorization/access-review.js";
import { localSubjectAccessReviewRecord } from "./authorization/access-review.js";
import { selfSubjectAccessReviewRecord } from "./authorization/access-review.js";
import { selfSubjectRulesReviewRecord } from "./authorization/self-subject-rules-review.js";
import { horizontalPodAutoscalerRecord } from "./autoscaling/horizontal-pod-autoscaler.js";
import { cronJobRecord } from "./batch/cron-job.js";
import { jobRecord } from "./batch/job.js";
import { certificateSigningRequestRecord } from "./certificates/certificate-signing-request.js";
import { clusterTrustBundleRecord } from "./certificates/cluster-trust-bundle.js";
import { podCertificateRequestRecord } from "./certificates/pod-certificate-request.js";
import { leaseRecord } from "./coordination/lease.js";
import { leaseCandidateRecord } from "./coordination/lease.js";
import { componentStatusRecord } from "./core/component-status.js";
import { configMapRecord } from "./core/config-map.js";
import { endpointsRecord } from "./core/endpoints.js";
import { eventRecord } from "./core/event.js";
import { eventsEventRecord } from "./core/event.js";
import { limitRangeRecord } from "./core/limit-range.js";
import { namespaceRecord } from "./core/namespace.js";
import { nodeRecord } from "./core/node.js";
import { persistentVolumeClaimRecord } from "./core/persistent-volume-claim.js";
import { persistentVolumeRecord } from "./core/persistent-volume.js";
import { podTemplateRecord } from "./core/pod-template.js";
import { podRecord } from "./core/pod.js";
import { bindingRecord } from "./core/pods/pod-binding.js";
import { replicationControllerRecord } from "./core/replication-controller.js";
import { resourceQuotaRecord } from "./core/resource-quota.js";
import { secretRecord } from "./core/secret.js";
import { serviceAccountRecord } from "./core/service-account.js";
import { serviceRecord } from "./core/service.js";
import { endpointSliceRecord } from "./discovery/endpoint-slice.js";
import { flowSchemaRecord } from "./flowcontrol/flow-schema.js";
import { priorityLevelConfigurationRecord } from "./flowcontrol/priority-level-configuration.js";
import { storageVersionRecord } from "./internal/storage-version.js";
import { evictionRequestRecord } from "./lifecycle/evictions.js";
import { evictionRecord } from "./lifecycle/evictions.js";
import { ingressRecord } from "./networking/ingress.js";
import { ingressClassRecord } from "./networking/ingress.js";
import { networkPolicyRecord } from "./networking/network-policy.js";
import { ipAddressRecord } from "./networking/service-addresses.js";
import { serviceCidrRecord } from "./networking/service-addresses.js";
import { runtimeClassRecord } from "./node/runtime-class.js";
import { podDisruptionBudgetRecord } from "./policy/pod-disruption-budget.js";
import { roleBindingRecord } from "./rbac/role-bindings.js";
import { clusterRoleBindingRecord } from "./rbac/role-bindings.js";
import { roleRecord } from "./rbac/roles.js";
import { clusterRoleRecord } from "./rbac/roles.js";
import { deviceClassRecord } from "./resource/devices.js";
import { deviceTaintRuleRecord } from "./resource/devices.js";
import { resourceClaimRecord } from "./resource/resource-claim.js";
import { resourceClaimTemplateRecord } from "./resource/resource-claim.js";
import { resourcePoolStatusRequestRecord } from "./resource/resource-pool-status-request.js";
import { resourceSliceRecord } from "./resource/resource-slice.js";
import { podGroupRecord } from "./scheduling/pod-group.js";
import { compositePodGroupRecord } from "./scheduling/pod-group.js";
import { workloadRecord } from "./scheduling/pod-group.js";
import { priorityClassRecord } from "./scheduling/priority-class.js";
import { csiDriverRecord } from "./storage/csi.js";
import { csiNodeRecord } from "./storage/csi.js";
import { csiStorageCapacityRecord } from "./storage/csi.js";
import { storageClassRecord } from "./storage/storage-class.js";
import { volumeAttributesClassRecord } from "./storage/storage-class.js";
import { volumeAttachmentRecord } from "./storage/volume-attachment.js";
import { storageVersionMigrationRecord } from "./storagemigration/storage-version-migration.js";

/** The built-in resources. A resource of the API facts that is not listed has generic behaviour only. */
export const builtinRecords: readonly ResourceRecord[] = [
  mutatingAdmissionPolicyRecord,
  validatingAdmissionPolicyRecord,
  mutatingAdmissionPolicyBindingRecord,
  validatingAdmissionPolicyBindingRecord,
  mutatingWebhookConfigurationRecord,
  validatingWebhookConfigurationRecord,
  customResourceDefinitionRecord,
  apiServiceRecord,
  controllerRevisionRecord,
  daemonSetRecord,
  deploymentRecord,
  replicaSetRecord,
  statefulSetRecord,
  selfSubjectReviewRecord,
  tokenReviewRecord,
  subjectAccessReviewRecord,
  localSubjectAccessReviewRecord,
  selfSubjectAccessReviewRecord,
  selfSubjectRulesReviewRecord,
  horizontalPodAutoscalerRecord,
  cronJobRecord,
  jobRecord,
  certificateSigningRequestRecord,
  clusterTrustBundleRecord,
  podCertificateRequestRecord,
  leaseRecord,
  leaseCandidateRecord,
  componentStatusRecord,
  configMapRecord,
  endpointsRecord,
  eventRecord,
  eventsEventRecord,
  limitRangeRecord,
  namespaceRecord,
  nodeRecord,
  persistentVolumeClaimRecord,
  persistentVolumeRecord,
  podTemplateRecord,
  podRecord,
  bindingRecord,
  replicationControllerRecord,
  resourceQuotaRecord,
  secretRecord,
  serviceAccountRecord,
  serviceRecord,
  endpointSliceRecord,
  flowSchemaRecord,
  priorityLevelConfigurationRecord,
  storageVersionRecord,
  evictionRequestRecord,
  evictionRecord,
  ingressRecord,
  ingressClassRecord,
  networkPolicyRecord,
  ipAddressRecord,
  serviceCidrRecord,
  runtimeClassRecord,
  podDisruptionBudgetRecord,
  roleBindingRecord,
  clusterRoleBindingRecord,
  roleRecord,
  clusterRoleRecord,
  deviceClassRecord,
  deviceTaintRuleRecord,
  resourceClaimRecord,
  resourceClaimTemplateRecord,
  resourcePoolStatusRequestRecord,
  resourceSliceRecord,
  podGroupRecord,
  compositePodGroupRecord,
  workloadRecord,
  priorityClassRecord,
  csiDriverRecord,
  csiNodeRecord,
  csiStorageCapacityRecord,
  storageClassRecord,
  volumeAttributesClassRecord,
  volumeAttachmentRecord,
  storageVersionMigrationRecord,
];
