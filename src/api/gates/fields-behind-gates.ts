import { type FieldsByGate, together, under } from "./gated-fields.js";

// Which fields of built-in kinds are behind which gates. A field is dropped from what a client writes while its gate is off, unless the old object uses it.
// Sources: the featureGate marks of k8s.io/api, which a test compares with this table, and the strategies of kube-apiserver.

const CONTAINERS = "containers|initContainers|ephemeralContainers[]";
const HANDLERS = [
  `${CONTAINERS}.livenessProbe|readinessProbe|startupProbe`,
  `${CONTAINERS}.lifecycle.postStart|preStop`,
] as const;
const SOURCES = "volumes[].projected.sources[]";

const POD_SPEC: FieldsByGate = {
  AtomicWriteVolumeUserFields: [
    "volumes[].secret|configMap|projected|downwardAPI.defaultUser",
    "volumes[].secret|configMap|downwardAPI.items[].user",
    `${SOURCES}.serviceAccountToken|clusterTrustBundle|podCertificate.user`,
    `${SOURCES}.secret|configMap|downwardAPI.items[].user`,
  ],
  ClusterTrustBundleProjection: `${SOURCES}.clusterTrustBundle`,
  ContainerStopSignals: `${CONTAINERS}.lifecycle?.stopSignal`,
  EmptyDirVolumeMode: "volumes[].emptyDir.mode",
  EvictionRequestAPI: "evictionResponders",
  GenericWorkload: "schedulingGroup",
  GRPCContainerProbeTLS: HANDLERS.map((handler) => `${handler}.grpc.mode`),
  H2CContainerProbe: HANDLERS.map((handler) => `${handler}.httpGet.protocol`),
  PodCertificateRequest: `${SOURCES}.podCertificate`,
  VolumeBindMountOptions: `${CONTAINERS}.volumeMounts[].bindMountOptions`,
};

const TEMPLATED = under("spec.template.spec", POD_SPEC);
const JOB_SPEC = together({ WorkloadWithJob: "scheduling" }, under("template.spec", POD_SPEC));

const DEVICE_CLAIM: FieldsByGate = {
  DRADerivedAttributes: ["exactly.derivedAttributes", "firstAvailable[].derivedAttributes"].map(
    (field) => `devices.requests[].${field}`,
  ),
};

/** The fields of each resource that a feature gate guards, by resource and gate. Paths are those of the hub version. */
export const FIELDS_BEHIND_GATES: Readonly<Record<string, FieldsByGate>> = {
  "/nodes": {
    InPlacePodVerticalScalingSchedulerPreemption: "spec.podPreemptionPolicy",
    KubeletInUserNamespace: "status.nodeInfo.runningInUserNamespace",
  },
  "/persistentvolumeclaims": { CSIVolumeHealth: "status.healthStatus" },
  "/pods": together(under("spec", POD_SPEC), {
    CSIVolumeHealth: "status.volumeHealth",
    DRANodeAllocatableResources: "status.nodeAllocatableResourceClaimStatuses",
  }),
  "/podtemplates": under("template.spec", POD_SPEC),
  "/replicationcontrollers": TEMPLATED,
  "apps/daemonsets": TEMPLATED,
  "apps/deployments": TEMPLATED,
  "apps/replicasets": TEMPLATED,
  "apps/statefulsets": together(TEMPLATED, {
    MaxUnavailableStatefulSet: "spec.updateStrategy.rollingUpdate.maxUnavailable",
  }),
  "batch/cronjobs": under("spec.jobTemplate.spec", JOB_SPEC),
  "batch/jobs": under("spec", JOB_SPEC),
  "resource.k8s.io/resourceclaims": together(under("spec", DEVICE_CLAIM), {
    DRAOptionalNodeOperations: "status.allocation.devices.results[].skipNodeOperations",
  }),
  "resource.k8s.io/resourceclaimtemplates": under("spec.spec", DEVICE_CLAIM),
  "resource.k8s.io/resourcepoolstatusrequests": {
    DRAPartitionableDevicesType: "spec.defaultPartitionTypeAttribute",
  },
  "resource.k8s.io/resourceslices": {
    DRADeviceCompatibilityGroups: "spec.devices[].consumesCounters[].compatibilityGroups",
    DRANodeAllocatableResources: "spec.devices[].nodeAllocatableResources",
    DRAOptionalNodeOperations: "spec.skipNodeOperations",
    DRAPartitionableDevicesType: "spec.partitionTypeAttribute",
  },
  "scheduling.k8s.io/compositepodgroups": { PodGroupPreemptionPolicy: "spec.preemptionPolicy" },
  "scheduling.k8s.io/podgroups": {
    CompositePodGroup: "spec.parentCompositePodGroupName",
    DRAWorkloadResourceClaims: ["spec.resourceClaims", "status.resourceClaimStatuses"],
    PodGroupPreemptionPolicy: "spec.preemptionPolicy",
    TopologyAwareWorkloadScheduling: "spec.schedulingConstraints",
  },
  "scheduling.k8s.io/workloads": {
    DRAWorkloadResourceClaims: "spec.podGroupTemplates[].resourceClaims",
    PodGroupPreemptionPolicy: "spec.podGroupTemplates|compositePodGroupTemplates[].preemptionPolicy",
    TopologyAwareWorkloadScheduling: "spec.podGroupTemplates[].schedulingConstraints",
  },
  "storage.k8s.io/csidrivers": { VolumeLimitScaling: "spec.preventPodSchedulingIfMissing" },
  "storage.k8s.io/csinodes": { CSIVolumeHealth: "status.storageHealth" },
};

/** The feature gates that guard fields. */
export const GATES_OF_FIELDS: readonly string[] = [
  ...new Set(Object.values(FIELDS_BEHIND_GATES).flatMap((fields) => Object.keys(fields))),
].sort();
