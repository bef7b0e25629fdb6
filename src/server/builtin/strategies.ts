import {
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrUpdate,
} from "../../api/validation/cluster-network.js";
import { validateConfigMap, validateConfigMapUpdate } from "../../api/validation/config.js";
import {
  validateAdmissionPolicy,
  validateAdmissionPolicyBinding,
  validateAdmissionPolicyStatusUpdate,
  validateAdmissionPolicyUpdate,
  validateMutatingAdmissionPolicy,
  validateMutatingAdmissionPolicyBinding,
} from "../../api/validation/admission-policy.js";
import {
  validateHorizontalPodAutoscaler,
  validateHorizontalPodAutoscalerStatusUpdate,
  validateHorizontalPodAutoscalerUpdate,
} from "../../api/validation/autoscaling.js";
import {
  validateCsiDriver,
  validateCsiDriverUpdate,
  validateCsiNode,
  validateCsiNodeUpdate,
  validateCsiStorageCapacity,
  validateCsiStorageCapacityUpdate,
} from "../../api/validation/csi.js";
import {
  validateDeviceClass,
  validateResourceClaimTemplate,
  validateResourceClaimTemplateUpdate,
} from "../../api/validation/device-claim.js";
import {
  validatePodDisruptionBudget,
  validatePodDisruptionBudgetStatusUpdate,
  validatePodDisruptionBudgetUpdate,
} from "../../api/validation/disruption-budget.js";
import { validateFlowControlStatus, validatePriorityLevel } from "../../api/validation/flow-control.js";
import {
  ingressWarnings,
  validateIngress,
  validateIngressStatusUpdate,
  validateIngressUpdate,
} from "../../api/validation/ingress.js";
import { validateIngressClass, validateIngressClassUpdate } from "../../api/validation/ingress-class.js";
import { validateLease } from "../../api/validation/lease.js";
import { validateLeaseCandidate, validateLeaseCandidateUpdate } from "../../api/validation/lease-candidate.js";
import { validateLimitRange } from "../../api/validation/limit-range.js";
import {
  networkPolicyWarnings,
  validateNetworkPolicy,
  validateNetworkPolicyUpdate,
} from "../../api/validation/network-policy.js";
import { validatePriorityClass, validatePriorityClassUpdate } from "../../api/validation/priority-class.js";
import {
  validateClusterRole,
  validateClusterRoleUpdate,
  validateRole,
  validateRoleBinding,
  validateRoleBindingUpdate,
} from "../../api/validation/rbac.js";
import {
  validateResourceQuota,
  validateResourceQuotaStatus,
  validateResourceQuotaUpdate,
} from "../../api/validation/resource-quota.js";
import {
  runtimeClassWarnings,
  validateRuntimeClass,
  validateRuntimeClassUpdate,
} from "../../api/validation/runtime-class.js";
import {
  storageClassWarnings,
  validateStorageClass,
  validateStorageClassUpdate,
  validateVolumeAttributesClass,
  validateVolumeAttributesClassUpdate,
} from "../../api/validation/storage-class.js";
import { validateClusterTrustBundle, validateClusterTrustBundleUpdate } from "../../api/validation/trust-bundle.js";
import { validateVolumeAttachment, validateVolumeAttachmentUpdate } from "../../api/validation/volume-attachment.js";
import { validateWebhookConfiguration, validateWebhookConfigurationUpdate } from "../../api/validation/webhooks.js";
import { object, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { ipErrors } from "../../machinery/validation/ip.js";
import { configMapKeyErrors, pathSegmentErrors } from "../../machinery/validation/names.js";
import type { Strategy } from "../registry/strategy.js";
import { apiServiceStrategy } from "./cluster/api-service.js";
import { customResourceDefinitionStrategy } from "./cluster/custom-resource-definition.js";
import { flowSchemaStrategy } from "./cluster/flow-schema.js";
import { certificateSigningRequestStrategy } from "./certificates/certificate-signing-request.js";
import { endpointSliceStrategy, endpointsStrategy } from "./core/endpoints.js";
import { eventStrategy } from "./core/event.js";
import { namespaceStrategy } from "./core/namespace.js";
import { nodeStrategy } from "./core/node.js";
import { persistentVolumeClaimStrategy } from "./core/persistent-volume-claim.js";
import { persistentVolumeStrategy } from "./core/persistent-volume.js";
import { podStrategy } from "./core/pod.js";
import { podTemplateStrategy } from "./core/pod-template.js";
import { secretStrategy } from "./core/secret.js";
import { serviceAccountStrategy } from "./core/service-account.js";
import { serviceStrategy } from "./core/service.js";
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  replicationControllerStrategy,
  statefulSetStrategy,
} from "./apps/workloads.js";
import { cronJobStrategy } from "./batch/cron-job.js";
import { jobStrategy } from "./batch/job.js";
import { keepMetadata } from "./keep-metadata.js";
import { resourceClaimStrategy } from "./resource/resource-claim.js";
import { resourceSliceStrategy } from "./resource/resource-slice.js";

type Validate = NonNullable<Strategy["validate"]>;
type ValidateUpdate = NonNullable<Strategy["validateUpdate"]>;

/** A strategy whose updates must pass what a create must, and `change` as well. */
function checked(validate: Validate, change?: ValidateUpdate, rest: Strategy = {}): Strategy {
  return {
    ...rest,
    validate,
    validateUpdate: (object_, old, context) => [
      ...validate(object_, context),
      ...(change?.(object_, old, context) ?? []),
    ],
  };
}

/** The same warnings for a create and for an update. */
const warned = (warnings: (object_: KubeObject) => readonly string[]): Strategy => ({
  warningsOnCreate: warnings,
  warningsOnUpdate: warnings,
});

/** A PUT must say which version it changes. */
const CONDITIONAL: Strategy = { allowUnconditionalUpdate: false };

const webhooks: Strategy = {
  allowUnconditionalUpdate: false,
  validate: validateWebhookConfiguration,
  validateUpdate: validateWebhookConfigurationUpdate,
};

/** RBAC names are anything that can be part of a path. */
const RBAC: Strategy = { validateName: pathSegmentErrors, allowCreateOnUpdate: true };

const roleBinding = (namespaced: boolean): Strategy =>
  checked((object_) => validateRoleBinding(object_, namespaced), validateRoleBindingUpdate, RBAC);

/** By "<group>/<resource>", the core group's by resource alone. Defaults and columns are added in index.ts. */
export const STRATEGIES: Readonly<Record<string, Strategy>> = {
  configmaps: checked(validateConfigMap, validateConfigMapUpdate),
  endpoints: endpointsStrategy,
  events: eventStrategy,
  limitranges: checked(validateLimitRange, undefined, { allowCreateOnUpdate: true }),
  namespaces: namespaceStrategy,
  nodes: nodeStrategy,
  persistentvolumeclaims: persistentVolumeClaimStrategy,
  persistentvolumes: persistentVolumeStrategy,
  pods: podStrategy,
  podtemplates: podTemplateStrategy,
  replicationcontrollers: {
    ...replicationControllerStrategy,
    garbageCollection: "Orphan",
  },
  resourcequotas: {
    validate: validateResourceQuota,
    validateUpdate: validateResourceQuotaUpdate,
    validateStatusUpdate: validateResourceQuotaStatus,
    allowCreateOnUpdate: true,
  },
  secrets: secretStrategy,
  serviceaccounts: serviceAccountStrategy,
  services: serviceStrategy,
  "admissionregistration.k8s.io/mutatingadmissionpolicies": checked(
    validateMutatingAdmissionPolicy,
    undefined,
    CONDITIONAL,
  ),
  "admissionregistration.k8s.io/mutatingadmissionpolicybindings": checked(
    validateMutatingAdmissionPolicyBinding,
    undefined,
    CONDITIONAL,
  ),
  "admissionregistration.k8s.io/mutatingwebhookconfigurations": webhooks,
  "admissionregistration.k8s.io/validatingadmissionpolicies": {
    ...CONDITIONAL,
    prepareForStatusUpdate: keepMetadata,
    validate: (policy) => validateAdmissionPolicy(policy),
    validateUpdate: validateAdmissionPolicyUpdate,
    validateStatusUpdate: validateAdmissionPolicyStatusUpdate,
  },
  "admissionregistration.k8s.io/validatingadmissionpolicybindings": checked(
    validateAdmissionPolicyBinding,
    undefined,
    CONDITIONAL,
  ),
  "admissionregistration.k8s.io/validatingwebhookconfigurations": webhooks,
  "apiextensions.k8s.io/customresourcedefinitions": customResourceDefinitionStrategy,
  "apiregistration.k8s.io/apiservices": apiServiceStrategy,
  "apps/daemonsets": daemonSetStrategy,
  "apps/deployments": deploymentStrategy,
  "apps/replicasets": replicaSetStrategy,
  "apps/statefulsets": statefulSetStrategy,
  "autoscaling/horizontalpodautoscalers": {
    validate: validateHorizontalPodAutoscaler,
    validateUpdate: validateHorizontalPodAutoscalerUpdate,
    validateStatusUpdate: validateHorizontalPodAutoscalerStatusUpdate,
  },
  "batch/cronjobs": cronJobStrategy,
  "batch/jobs": jobStrategy,
  "certificates.k8s.io/certificatesigningrequests": certificateSigningRequestStrategy,
  "certificates.k8s.io/clustertrustbundles": {
    ...CONDITIONAL,
    // The rule for the name needs the spec: it is the validator's.
    validateName: () => [],
    validate: validateClusterTrustBundle,
    validateUpdate: validateClusterTrustBundleUpdate,
    fieldLabels: ["spec.signerName"],
    fields: (bundle) => ({ "spec.signerName": text(object(bundle.spec).signerName) }),
  },
  "coordination.k8s.io/leasecandidates": {
    ...CONDITIONAL,
    allowCreateOnUpdate: true,
    validateName: configMapKeyErrors,
    validate: validateLeaseCandidate,
    validateUpdate: validateLeaseCandidateUpdate,
    fieldLabels: ["spec.leaseName"],
    fields: (candidate) => ({ "spec.leaseName": text(object(candidate.spec).leaseName) }),
  },
  "coordination.k8s.io/leases": checked(validateLease, undefined, {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
  }),
  "discovery.k8s.io/endpointslices": endpointSliceStrategy,
  "events.k8s.io/events": eventStrategy,
  "flowcontrol.apiserver.k8s.io/flowschemas": flowSchemaStrategy,
  "flowcontrol.apiserver.k8s.io/prioritylevelconfigurations": checked(validatePriorityLevel, undefined, {
    prepareForStatusUpdate: keepMetadata,
    validateStatusUpdate: validateFlowControlStatus,
  }),
  "networking.k8s.io/ingressclasses": checked(validateIngressClass, validateIngressClassUpdate),
  "networking.k8s.io/ingresses": {
    ...warned(ingressWarnings),
    validate: validateIngress,
    validateUpdate: validateIngressUpdate,
    validateStatusUpdate: validateIngressStatusUpdate,
  },
  "networking.k8s.io/ipaddresses": checked(validateIpAddress, validateIpAddressUpdate, { validateName: ipErrors }),
  "networking.k8s.io/networkpolicies": {
    ...warned(networkPolicyWarnings),
    validate: validateNetworkPolicy,
    validateUpdate: validateNetworkPolicyUpdate,
  },
  "networking.k8s.io/servicecidrs": {
    prepareForStatusUpdate: keepMetadata,
    validate: validateServiceCidr,
    validateUpdate: validateServiceCidrUpdate,
  },
  "node.k8s.io/runtimeclasses": {
    ...CONDITIONAL,
    allowCreateOnUpdate: true,
    ...warned(runtimeClassWarnings),
    validate: validateRuntimeClass,
    validateUpdate: validateRuntimeClassUpdate,
  },
  "policy/poddisruptionbudgets": {
    validate: validatePodDisruptionBudget,
    validateUpdate: validatePodDisruptionBudgetUpdate,
    validateStatusUpdate: validatePodDisruptionBudgetStatusUpdate,
    allowUnconditionalUpdate: false,
  },
  "rbac.authorization.k8s.io/clusterrolebindings": roleBinding(false),
  "rbac.authorization.k8s.io/clusterroles": {
    ...RBAC,
    validate: (role) => validateClusterRole(role),
    validateUpdate: validateClusterRoleUpdate,
  },
  "rbac.authorization.k8s.io/rolebindings": roleBinding(true),
  "rbac.authorization.k8s.io/roles": checked((role) => validateRole(role, true), undefined, RBAC),
  "resource.k8s.io/deviceclasses": checked(validateDeviceClass),
  "resource.k8s.io/resourceclaims": resourceClaimStrategy,
  "resource.k8s.io/resourceclaimtemplates": {
    validate: validateResourceClaimTemplate,
    validateUpdate: validateResourceClaimTemplateUpdate,
  },
  "resource.k8s.io/resourceslices": resourceSliceStrategy,
  "scheduling.k8s.io/priorityclasses": { validate: validatePriorityClass, validateUpdate: validatePriorityClassUpdate },
  "storage.k8s.io/csidrivers": { ...CONDITIONAL, validate: validateCsiDriver, validateUpdate: validateCsiDriverUpdate },
  "storage.k8s.io/csinodes": { ...CONDITIONAL, validate: validateCsiNode, validateUpdate: validateCsiNodeUpdate },
  "storage.k8s.io/csistoragecapacities": {
    ...CONDITIONAL,
    validate: validateCsiStorageCapacity,
    validateUpdate: validateCsiStorageCapacityUpdate,
  },
  "storage.k8s.io/storageclasses": {
    ...warned(storageClassWarnings),
    validate: validateStorageClass,
    validateUpdate: validateStorageClassUpdate,
  },
  "storage.k8s.io/volumeattachments": {
    ...CONDITIONAL,
    prepareForStatusUpdate: keepMetadata,
    validate: validateVolumeAttachment,
    validateUpdate: validateVolumeAttachmentUpdate,
    validateStatusUpdate: validateVolumeAttachmentUpdate,
  },
  "storage.k8s.io/volumeattributesclasses": {
    validate: validateVolumeAttributesClass,
    validateUpdate: validateVolumeAttributesClassUpdate,
  },
};
