// Made by tools/generate-builtin-records.mjs of the files beside it.
import type { ResourceRecord } from "../endpoints/resource-record.js";
import { mutatingAdmissionPolicyBindingRecord } from "./admissionregistration/mutating-admission-policy-binding.js";
import { mutatingAdmissionPolicyRecord } from "./admissionregistration/mutating-admission-policy.js";
import { mutatingWebhookConfigurationRecord } from "./admissionregistration/mutating-webhook-configuration.js";
import { validatingAdmissionPolicyBindingRecord } from "./admissionregistration/validating-admission-policy-binding.js";
import { validatingAdmissionPolicyRecord } from "./admissionregistration/validating-admission-policy.js";
import { validatingWebhookConfigurationRecord } from "./admissionregistration/validating-webhook-configuration.js";
import { customResourceDefinitionRecord } from "./apiextensions/custom-resource-definition.js";
import { apiServiceRecord } from "./apiregistration/api-service.js";
import { controllerRevisionRecord } from "./apps/controller-revision.js";
import { daemonSetRecord } from "./apps/daemon-set.js";
import { deploymentRecord } from "./apps/deployment.js";
import { replicaSetRecord } from "./apps/replica-set.js";
import { statefulSetRecord } from "./apps/stateful-set.js";
import { selfSubjectReviewRecord } from "./authentication/self-subject-review.js";
import { tokenReviewRecord } from "./authentication/token-review.js";
import { localSubjectAccessReviewRecord } from "./authorization/local-subject-access-review.js";
import { selfSubjectAccessReviewRecord } from "./authorization/self-subject-access-review.js";
import { selfSubjectRulesReviewRecord } from "./authorization/self-subject-rules-review.js";
import { subjectAccessReviewRecord } from "./authorization/subject-access-review.js";
import { horizontalPodAutoscalerRecord } from "./autoscaling/horizontal-pod-autoscaler.js";
import { cronJobRecord } from "./batch/cron-job.js";
import { jobRecord } from "./batch/job.js";
import { certificateSigningRequestRecord } from "./certificates/certificate-signing-request.js";
import { clusterTrustBundleRecord } from "./certificates/cluster-trust-bundle.js";
import { podCertificateRequestRecord } from "./certificates/pod-certificate-request.js";
import { leaseCandidateRecord } from "./coordination/lease-candidate.js";
import { leaseRecord } from "./coordination/lease.js";
import { bindingRecord } from "./core/binding.js";
import { componentStatusRecord } from "./core/component-status.js";
import { configMapRecord } from "./core/config-map.js";
import { endpointsRecord } from "./core/endpoints.js";
import { eventRecord } from "./core/event.js";
import { limitRangeRecord } from "./core/limit-range.js";
import { namespaceRecord } from "./core/namespace.js";
import { nodeRecord } from "./core/node.js";
import { persistentVolumeClaimRecord } from "./core/persistent-volume-claim.js";
import { persistentVolumeRecord } from "./core/persistent-volume.js";
import { podTemplateRecord } from "./core/pod-template.js";
import { podRecord } from "./core/pod.js";
import { replicationControllerRecord } from "./core/replication-controller.js";
import { resourceQuotaRecord } from "./core/resource-quota.js";
import { secretRecord } from "./core/secret.js";
import { serviceAccountRecord } from "./core/service-account.js";
import { serviceRecord } from "./core/service.js";
import { endpointSliceRecord } from "./discovery/endpoint-slice.js";
import { eventsEventRecord } from "./events/event.js";
import { flowSchemaRecord } from "./flowcontrol/flow-schema.js";
import { priorityLevelConfigurationRecord } from "./flowcontrol/priority-level-configuration.js";
import { storageVersionRecord } from "./internal/storage-version.js";
import { ingressClassRecord } from "./networking/ingress-class.js";
import { ingressRecord } from "./networking/ingress.js";
import { ipAddressRecord } from "./networking/ip-address.js";
import { networkPolicyRecord } from "./networking/network-policy.js";
import { serviceCidrRecord } from "./networking/service-cidr.js";
import { runtimeClassRecord } from "./node/runtime-class.js";
import { podDisruptionBudgetRecord } from "./policy/pod-disruption-budget.js";
import { clusterRoleBindingRecord } from "./rbac/cluster-role-binding.js";
import { clusterRoleRecord } from "./rbac/cluster-role.js";
import { roleBindingRecord } from "./rbac/role-binding.js";
import { roleRecord } from "./rbac/role.js";
import { deviceClassRecord } from "./resource/device-class.js";
import { deviceTaintRuleRecord } from "./resource/device-taint-rule.js";
import { resourceClaimTemplateRecord } from "./resource/resource-claim-template.js";
import { resourceClaimRecord } from "./resource/resource-claim.js";
import { resourcePoolStatusRequestRecord } from "./resource/resource-pool-status-request.js";
import { resourceSliceRecord } from "./resource/resource-slice.js";
import { podGroupRecord } from "./scheduling/pod-group.js";
import { priorityClassRecord } from "./scheduling/priority-class.js";
import { workloadRecord } from "./scheduling/workload.js";
import { csiDriverRecord } from "./storage/csi-driver.js";
import { csiNodeRecord } from "./storage/csi-node.js";
import { csiStorageCapacityRecord } from "./storage/csi-storage-capacity.js";
import { storageClassRecord } from "./storage/storage-class.js";
import { volumeAttachmentRecord } from "./storage/volume-attachment.js";
import { volumeAttributesClassRecord } from "./storage/volume-attributes-class.js";
import { storageVersionMigrationRecord } from "./storagemigration/storage-version-migration.js";

/** The built-in resources. A resource of the API facts that is not listed has generic behaviour only. */
export const builtinRecords: readonly ResourceRecord[] = [
  mutatingAdmissionPolicyBindingRecord,
  mutatingAdmissionPolicyRecord,
  mutatingWebhookConfigurationRecord,
  validatingAdmissionPolicyBindingRecord,
  validatingAdmissionPolicyRecord,
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
  localSubjectAccessReviewRecord,
  selfSubjectAccessReviewRecord,
  selfSubjectRulesReviewRecord,
  subjectAccessReviewRecord,
  horizontalPodAutoscalerRecord,
  cronJobRecord,
  jobRecord,
  certificateSigningRequestRecord,
  clusterTrustBundleRecord,
  podCertificateRequestRecord,
  leaseCandidateRecord,
  leaseRecord,
  bindingRecord,
  componentStatusRecord,
  configMapRecord,
  endpointsRecord,
  eventRecord,
  limitRangeRecord,
  namespaceRecord,
  nodeRecord,
  persistentVolumeClaimRecord,
  persistentVolumeRecord,
  podTemplateRecord,
  podRecord,
  replicationControllerRecord,
  resourceQuotaRecord,
  secretRecord,
  serviceAccountRecord,
  serviceRecord,
  endpointSliceRecord,
  eventsEventRecord,
  flowSchemaRecord,
  priorityLevelConfigurationRecord,
  storageVersionRecord,
  ingressClassRecord,
  ingressRecord,
  ipAddressRecord,
  networkPolicyRecord,
  serviceCidrRecord,
  runtimeClassRecord,
  podDisruptionBudgetRecord,
  clusterRoleBindingRecord,
  clusterRoleRecord,
  roleBindingRecord,
  roleRecord,
  deviceClassRecord,
  deviceTaintRuleRecord,
  resourceClaimTemplateRecord,
  resourceClaimRecord,
  resourcePoolStatusRequestRecord,
  resourceSliceRecord,
  podGroupRecord,
  priorityClassRecord,
  workloadRecord,
  csiDriverRecord,
  csiNodeRecord,
  csiStorageCapacityRecord,
  storageClassRecord,
  volumeAttachmentRecord,
  volumeAttributesClassRecord,
  storageVersionMigrationRecord,
];
