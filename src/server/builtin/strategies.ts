import { autoscalerFromV2, autoscalerToV2 } from "../../api/conversion/index.js";
import {
  validateIpAddress,
  validateIpAddressUpdate,
  validateServiceCidr,
  validateServiceCidrUpdate,
} from "../../api/validation/cluster-network.js";
import { validateConfigMap, validateConfigMapUpdate } from "../../api/validation/config.js";
import { validateIngress, validateNetworkPolicy } from "../../api/validation/network.js";
import {
  validateHorizontalPodAutoscaler,
  validateIngressClass,
  validateLease,
  validatePodDisruptionBudget,
  validatePriorityClass,
  validatePriorityClassUpdate,
  validateRuntimeClass,
} from "../../api/validation/policy.js";
import { validateRole, validateRoleBinding, validateRoleBindingUpdate } from "../../api/validation/rbac.js";
import {
  validatePersistentVolume,
  validatePersistentVolumeClaim,
  validatePersistentVolumeClaimUpdate,
  validatePersistentVolumeUpdate,
  validateStorageClass,
  validateStorageClassUpdate,
} from "../../api/validation/storage.js";
import {
  validateCronJob,
  validateReplicationController,
  validateSelectorUpdate,
  validateStatefulSetUpdate,
  validateWorkload,
} from "../../api/validation/workloads.js";
import { validatePodTemplate } from "../../api/validation/pod-spec.js";
import { number, object } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import { ipErrors } from "../../machinery/validation/ip.js";
import { pathSegmentErrors } from "../../machinery/validation/names.js";
import type { Strategy } from "../registry/strategy.js";
import { apiServiceStrategy } from "./cluster/api-service.js";
import { flowSchemaStrategy } from "./cluster/flow-schema.js";
import { certificateSigningRequestStrategy } from "./certificates/certificate-signing-request.js";
import { eventStrategy } from "./core/event.js";
import { namespaceStrategy } from "./core/namespace.js";
import { podStrategy } from "./core/pod.js";
import { secretStrategy } from "./core/secret.js";
import { serviceStrategy } from "./core/service.js";
import { jobStrategy } from "./batch/job.js";
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

const workload = (kind: string, change: ValidateUpdate = validateSelectorUpdate, rest?: Strategy): Strategy =>
  checked((object_) => validateWorkload(object_, kind), change, rest);

const statusReplicas: Strategy = {
  fieldLabels: ["status.replicas"],
  fields: (object_) => ({ "status.replicas": String(number(object(object_.status).replicas)) }),
};

/** Claims and volumes start out unbound. Their protection finalizers come with the controllers that take them out. */
const pending: Strategy = {
  prepareForCreate(draft) {
    draft.status = { phase: "Pending" };
  },
};

/** RBAC names are anything that can be part of a path. */
const RBAC: Strategy = { validateName: pathSegmentErrors, allowCreateOnUpdate: true };

const role = (namespaced: boolean): Strategy =>
  checked((object_) => validateRole(object_, namespaced), undefined, RBAC);

const roleBinding = (namespaced: boolean): Strategy =>
  checked((object_) => validateRoleBinding(object_, namespaced), validateRoleBindingUpdate, RBAC);

/** By "<group>/<resource>", the core group's by resource alone. Defaults and columns are added in index.ts. */
export const STRATEGIES: Readonly<Record<string, Strategy>> = {
  configmaps: checked(validateConfigMap, validateConfigMapUpdate),
  endpoints: { allowCreateOnUpdate: true },
  events: eventStrategy,
  limitranges: { allowCreateOnUpdate: true },
  namespaces: namespaceStrategy,
  nodes: {
    keepsStatusOnCreate: true,
    fieldLabels: ["spec.unschedulable"],
    fields: (node) => ({ "spec.unschedulable": String(object(node.spec).unschedulable === true) }),
  },
  persistentvolumeclaims: checked(validatePersistentVolumeClaim, validatePersistentVolumeClaimUpdate, pending),
  persistentvolumes: checked(validatePersistentVolume, validatePersistentVolumeUpdate, pending),
  pods: podStrategy,
  podtemplates: checked((template: KubeObject) => validatePodTemplate(object(template.template), "template")),
  replicationcontrollers: checked(validateReplicationController, undefined, statusReplicas),
  secrets: secretStrategy,
  services: serviceStrategy,
  "apiregistration.k8s.io/apiservices": apiServiceStrategy,
  "apps/daemonsets": workload("daemonset"),
  "apps/deployments": workload("deployment"),
  "apps/replicasets": workload("replicaset"),
  "apps/statefulsets": workload("statefulset", validateStatefulSetUpdate),
  "autoscaling/horizontalpodautoscalers": checked(validateHorizontalPodAutoscaler, undefined, {
    conversions: { "autoscaling/v1": { toHub: autoscalerToV2, fromHub: autoscalerFromV2 } },
  }),
  "batch/cronjobs": checked(validateCronJob),
  "batch/jobs": jobStrategy,
  "certificates.k8s.io/certificatesigningrequests": certificateSigningRequestStrategy,
  "coordination.k8s.io/leases": checked(validateLease, undefined, {
    allowCreateOnUpdate: true,
    allowUnconditionalUpdate: false,
  }),
  "events.k8s.io/events": eventStrategy,
  "flowcontrol.apiserver.k8s.io/flowschemas": flowSchemaStrategy,
  "networking.k8s.io/ingressclasses": checked(validateIngressClass),
  "networking.k8s.io/ingresses": checked(validateIngress),
  "networking.k8s.io/ipaddresses": checked(validateIpAddress, validateIpAddressUpdate, { validateName: ipErrors }),
  "networking.k8s.io/networkpolicies": checked(validateNetworkPolicy),
  "networking.k8s.io/servicecidrs": { validate: validateServiceCidr, validateUpdate: validateServiceCidrUpdate },
  "node.k8s.io/runtimeclasses": checked(validateRuntimeClass),
  "policy/poddisruptionbudgets": checked(validatePodDisruptionBudget, undefined, { allowUnconditionalUpdate: false }),
  "rbac.authorization.k8s.io/clusterrolebindings": roleBinding(false),
  "rbac.authorization.k8s.io/clusterroles": role(false),
  "rbac.authorization.k8s.io/rolebindings": roleBinding(true),
  "rbac.authorization.k8s.io/roles": role(true),
  "resource.k8s.io/resourceslices": resourceSliceStrategy,
  "scheduling.k8s.io/priorityclasses": checked(validatePriorityClass, validatePriorityClassUpdate),
  "storage.k8s.io/storageclasses": checked(validateStorageClass, validateStorageClassUpdate),
};
