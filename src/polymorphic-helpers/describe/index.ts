import type { GroupKind } from "../../machinery/meta/gvk.js";
import type { Describer } from "./describer.js";

export type { DescribeContext, Describer, DescribeReader, ListWhat } from "./describer.js";
export { Description } from "./description.js";

/** By "Kind.group", "Kind" for the core group; each is loaded when an object of the kind is described. */
const DESCRIBERS: Readonly<Record<string, () => Promise<Describer>>> = {
  "CertificateSigningRequest.certificates.k8s.io": async () =>
    (await import("./certificate-signing-request.js")).describeCertificateSigningRequest,
  "ClusterRole.rbac.authorization.k8s.io": async () => (await import("./role.js")).describeClusterRole,
  "ClusterRoleBinding.rbac.authorization.k8s.io": async () => (await import("./role.js")).describeClusterRoleBinding,
  ConfigMap: async () => (await import("./config-map.js")).describeConfigMap,
  "CronJob.batch": async () => (await import("./cron-job.js")).describeCronJob,
  "CSINode.storage.k8s.io": async () => (await import("./csi-node.js")).describeCsiNode,
  "DaemonSet.apps": async () => (await import("./daemon-set.js")).describeDaemonSet,
  "Deployment.apps": async () => (await import("./deployment.js")).describeDeployment,
  Endpoints: async () => (await import("./endpoints.js")).describeEndpoints,
  "EndpointSlice.discovery.k8s.io": async () => (await import("./endpoint-slice.js")).describeEndpointSlice,
  "HorizontalPodAutoscaler.autoscaling": async () =>
    (await import("./horizontal-pod-autoscaler.js")).describeHorizontalPodAutoscaler,
  "Ingress.networking.k8s.io": async () => (await import("./ingress.js")).describeIngress,
  "IngressClass.networking.k8s.io": async () => (await import("./ingress-class.js")).describeIngressClass,
  "IPAddress.networking.k8s.io": async () => (await import("./ip-address.js")).describeIpAddress,
  "Job.batch": async () => (await import("./job.js")).describeJob,
  LimitRange: async () => (await import("./limit-range.js")).describeLimitRange,
  Namespace: async () => (await import("./namespace.js")).describeNamespace,
  "NetworkPolicy.networking.k8s.io": async () => (await import("./network-policy.js")).describeNetworkPolicy,
  Node: async () => (await import("./node.js")).describeNode,
  PersistentVolume: async () => (await import("./persistent-volume.js")).describePersistentVolume,
  PersistentVolumeClaim: async () => (await import("./persistent-volume-claim.js")).describePersistentVolumeClaim,
  Pod: async () => (await import("./pod.js")).describePod,
  "PodDisruptionBudget.policy": async () => (await import("./pod-disruption-budget.js")).describePodDisruptionBudget,
  "PriorityClass.scheduling.k8s.io": async () => (await import("./priority-class.js")).describePriorityClass,
  "ReplicaSet.apps": async () => (await import("./replica-set.js")).describeReplicaSet,
  ReplicationController: async () => (await import("./replica-set.js")).describeReplicationController,
  ResourceQuota: async () => (await import("./resource-quota.js")).describeResourceQuota,
  "Role.rbac.authorization.k8s.io": async () => (await import("./role.js")).describeRole,
  "RoleBinding.rbac.authorization.k8s.io": async () => (await import("./role.js")).describeRoleBinding,
  Secret: async () => (await import("./secret.js")).describeSecret,
  Service: async () => (await import("./service.js")).describeService,
  ServiceAccount: async () => (await import("./service-account.js")).describeServiceAccount,
  "ServiceCIDR.networking.k8s.io": async () => (await import("./service-cidr.js")).describeServiceCidr,
  "StatefulSet.apps": async () => (await import("./stateful-set.js")).describeStatefulSet,
  "StorageClass.storage.k8s.io": async () => (await import("./storage-class.js")).describeStorageClass,
  "VolumeAttributesClass.storage.k8s.io": async () =>
    (await import("./storage-class.js")).describeVolumeAttributesClass,
};

/** Loads the describer of a kind; undefined for a kind without one. */
export async function describerOf({ group, kind }: GroupKind): Promise<Describer | undefined> {
  const key = group === "" ? kind : `${kind}.${group}`;
  return Object.hasOwn(DESCRIBERS, key) ? DESCRIBERS[key]?.() : undefined;
}
