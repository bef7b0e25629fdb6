import type { FieldsOf } from "../../machinery/meta/received.js";
import type { PodSpec } from "../types/core/v1.js";
import { dictionary } from "../../base/collections/dictionary.js";
import { absent, isFields, type ReadonlyFields } from "../../machinery/meta/access.js";

/**
 * Types of Kubernetes' internal version, which errors show whole values of: "Type" -> its fields in order as "GoName:kind",
 * or "GoName=wireName:kind" where the wire's name is not the Go name with a small first letter. Kinds: s string, b bool, n number,
 * m what writes itself, * a pointer, list or map, *T those of structs, T a struct, @ an embedded ObjectMeta.
 */
const INTERNAL_TYPES: Readonly<Record<string, string>> = dictionary({
  AWSElasticBlockStoreVolumeSource: "VolumeID:s FSType=fsType:s Partition:n ReadOnly:b",
  Affinity: "NodeAffinity:*NodeAffinity PodAffinity:*PodAffinity PodAntiAffinity:*PodAntiAffinity",
  AppArmorProfile: "Type:s LocalhostProfile:*",
  AzureDiskVolumeSource: "DiskName:s DataDiskURI=diskURI:s CachingMode:* FSType=fsType:* ReadOnly:* Kind:*",
  AzureFileVolumeSource: "SecretName:s ShareName:s ReadOnly:b",
  CSIVolumeSource: "Driver:s ReadOnly:* FSType=fsType:* VolumeAttributes:* NodePublishSecretRef:*LocalObjectReference",
  Capabilities: "Add:* Drop:*",
  CephFSVolumeSource: "Monitors:* Path:s User:s SecretFile:s SecretRef:*LocalObjectReference ReadOnly:b",
  CertificateSigningRequestCondition: "Type:s Status:s Reason:s Message:s LastUpdateTime:* LastTransitionTime:*",
  CinderVolumeSource: "VolumeID:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference",
  ClusterTrustBundleProjection: "Name:* SignerName:* LabelSelector:* Optional:* Path:s",
  ConfigMapEnvSource: "Name:s Optional:*",
  ConfigMapKeySelector: "Name:s Key:s Optional:*",
  ConfigMapProjection: "Name:s Items:*KeyToPath Optional:*",
  ConfigMapVolumeSource: "Name:s Items:*KeyToPath DefaultMode:* Optional:*",
  Container:
    "Name:s Image:s Command:* Args:* WorkingDir:s Ports:*ContainerPort EnvFrom:*EnvFromSource Env:*EnvVar Resources:ResourceRequirements ResizePolicy:*ContainerResizePolicy RestartPolicy:* RestartPolicyRules:*ContainerRestartRule VolumeMounts:*VolumeMount VolumeDevices:*VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b",
  ContainerPort: "Name:s HostPort:n ContainerPort:n Protocol:s HostIP:s",
  ContainerResizePolicy: "ResourceName:s RestartPolicy:s",
  ContainerRestartRule: "Action:s ExitCodes:*ContainerRestartRuleOnExitCodes",
  ContainerRestartRuleOnExitCodes: "Operator:s Values:*",
  DaemonSetUpdateStrategy: "Type:s RollingUpdate:*RollingUpdateDaemonSet",
  DeploymentStrategy: "Type:s RollingUpdate:*RollingUpdateDeployment",
  DownwardAPIProjection: "Items:*DownwardAPIVolumeFile",
  DownwardAPIVolumeFile: "Path:s FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector Mode:*",
  DownwardAPIVolumeSource: "Items:*DownwardAPIVolumeFile DefaultMode:*",
  EmptyDirVolumeSource: "Medium:s SizeLimit:*",
  EnvFromSource: "Prefix:s ConfigMapRef:*ConfigMapEnvSource SecretRef:*SecretEnvSource",
  EnvVar: "Name:s Value:s ValueFrom:*EnvVarSource",
  EnvVarSource:
    "FieldRef:*ObjectFieldSelector ResourceFieldRef:*ResourceFieldSelector ConfigMapKeyRef:*ConfigMapKeySelector SecretKeyRef:*SecretKeySelector FileKeyRef:*FileKeySelector",
  EphemeralContainer:
    "Name:s Image:s Command:* Args:* WorkingDir:s Ports:*ContainerPort EnvFrom:*EnvFromSource Env:*EnvVar Resources:ResourceRequirements ResizePolicy:*ContainerResizePolicy RestartPolicy:* RestartPolicyRules:*ContainerRestartRule VolumeMounts:*VolumeMount VolumeDevices:*VolumeDevice LivenessProbe:*Probe ReadinessProbe:*Probe StartupProbe:*Probe Lifecycle:*Lifecycle TerminationMessagePath:s TerminationMessagePolicy:s ImagePullPolicy:s SecurityContext:*SecurityContext Stdin:b StdinOnce:b TTY=tty:b TargetContainerName:s",
  EphemeralVolumeSource: "VolumeClaimTemplate:*PersistentVolumeClaimTemplate",
  EventSource: "Component:s Host:s",
  ExecAction: "Command:*",
  ExemptPriorityLevelConfiguration: "NominalConcurrencyShares:* LendablePercent:*",
  FCVolumeSource: "TargetWWNs:* Lun:* FSType=fsType:s ReadOnly:b WWIDs=wwids:*",
  FileKeySelector: "VolumeName:s Path:s Key:s Optional:*",
  FlexVolumeSource: "Driver:s FSType=fsType:s SecretRef:*LocalObjectReference ReadOnly:b Options:*",
  FlockerVolumeSource: "DatasetName:s DatasetUUID:s",
  FlowDistinguisherMethod: "Type:s",
  FlowSchemaSpec:
    "PriorityLevelConfiguration:PriorityLevelConfigurationReference MatchingPrecedence:n DistinguisherMethod:*FlowDistinguisherMethod Rules:*PolicyRulesWithSubjects",
  FlowSubject: "Kind:s User:*NamedSubject Group:*NamedSubject ServiceAccount:*ServiceAccountSubject",
  GCEPersistentDiskVolumeSource: "PDName=pdName:s FSType=fsType:s Partition:n ReadOnly:b",
  GRPCAction: "Port:n Service:*",
  GitRepoVolumeSource: "Repository:s Revision:s Directory:s",
  GlusterfsVolumeSource: "EndpointsName=endpoints:s Path:s ReadOnly:b",
  HTTPGetAction: "Path:s Port:m Host:s Scheme:s HTTPHeaders=httpHeaders:*HTTPHeader",
  HTTPHeader: "Name:s Value:s",
  HostAlias: "IP=ip:s Hostnames:*",
  HostIP: "IP=ip:s",
  HostPathVolumeSource: "Path:s Type:*",
  ISCSIVolumeSource:
    "TargetPortal:s IQN=iqn:s Lun:n ISCSIInterface=iscsiInterface:s FSType=fsType:s ReadOnly:b Portals:* DiscoveryCHAPAuth=chapAuthDiscovery:b SessionCHAPAuth=chapAuthSession:b SecretRef:*LocalObjectReference InitiatorName:*",
  ImageVolumeSource: "Reference:s PullPolicy:s",
  KeyToPath: "Key:s Path:s Mode:*",
  Lifecycle: "PostStart:*LifecycleHandler PreStop:*LifecycleHandler StopSignal:*",
  LifecycleHandler:
    "Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction Sleep:*SleepAction",
  LimitResponse: "Type:s Queuing:*QueuingConfiguration",
  LimitedPriorityLevelConfiguration:
    "NominalConcurrencyShares:n LimitResponse:LimitResponse LendablePercent:* BorrowingLimitPercent:*",
  LocalObjectReference: "Name:s",
  NFSVolumeSource: "Server:s Path:s ReadOnly:b",
  NamedSubject: "Name:s",
  NodeAffinity:
    "RequiredDuringSchedulingIgnoredDuringExecution:*NodeSelector PreferredDuringSchedulingIgnoredDuringExecution:*PreferredSchedulingTerm",
  NodeSelector: "NodeSelectorTerms:*NodeSelectorTerm",
  NodeSelectorRequirement: "Key:s Operator:s Values:*",
  NodeSelectorTerm: "MatchExpressions:*NodeSelectorRequirement MatchFields:*NodeSelectorRequirement",
  NonResourcePolicyRule: "Verbs:* NonResourceURLs=nonResourceURLs:*",
  ObjectFieldSelector: "APIVersion=apiVersion:s FieldPath:s",
  ObjectReference: "Kind:s Namespace:s Name:s UID=uid:s APIVersion=apiVersion:s ResourceVersion:s FieldPath:s",
  PersistentVolumeClaimSpec:
    "AccessModes:* Selector:* Resources:VolumeResourceRequirements VolumeName:s StorageClassName:* VolumeMode:* DataSource:*TypedLocalObjectReference DataSourceRef:*TypedObjectReference VolumeAttributesClassName:*",
  PersistentVolumeClaimTemplate: "@ Spec:PersistentVolumeClaimSpec",
  PersistentVolumeClaimVolumeSource: "ClaimName:s ReadOnly:b",
  PhotonPersistentDiskVolumeSource: "PdID:s FSType=fsType:s",
  PodAffinity:
    "RequiredDuringSchedulingIgnoredDuringExecution:*PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:*WeightedPodAffinityTerm",
  PodAffinityTerm:
    "LabelSelector:* Namespaces:* TopologyKey:s NamespaceSelector:* MatchLabelKeys:* MismatchLabelKeys:*",
  PodAntiAffinity:
    "RequiredDuringSchedulingIgnoredDuringExecution:*PodAffinityTerm PreferredDuringSchedulingIgnoredDuringExecution:*WeightedPodAffinityTerm",
  PodCertificateProjection:
    "SignerName:s KeyType:s MaxExpirationSeconds:* CredentialBundlePath:s KeyPath:s CertificateChainPath:s UserAnnotations:*",
  PodDNSConfig: "Nameservers:* Searches:* Options:*PodDNSConfigOption",
  PodDNSConfigOption: "Name:s Value:*",
  PodFailurePolicy: "Rules:*PodFailurePolicyRule",
  PodFailurePolicyOnExitCodesRequirement: "ContainerName:* Operator:s Values:*",
  PodFailurePolicyOnPodConditionsPattern: "Type:s Status:s",
  PodFailurePolicyRule:
    "Action:s OnExitCodes:*PodFailurePolicyOnExitCodesRequirement OnPodConditions:*PodFailurePolicyOnPodConditionsPattern",
  PodIP: "IP=ip:s",
  PodOS: "Name:s",
  PodReadinessGate: "ConditionType:s",
  PodResourceClaim: "Name:s ResourceClaimName:* ResourceClaimTemplateName:*",
  PodSchedulingGate: "Name:s",
  PodSchedulingGroup: "PodGroupName:*",
  PodSecurityContext:
    "HostNetwork:b HostPID:b HostIPC:b ShareProcessNamespace:* HostUsers:* SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:* RunAsGroup:* RunAsNonRoot:* SupplementalGroups:* SupplementalGroupsPolicy:* FSGroup=fsGroup:* FSGroupChangePolicy=fsGroupChangePolicy:* Sysctls:*Sysctl SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile SELinuxChangePolicy=seLinuxChangePolicy:*",
  PodSpec:
    "Volumes:*Volume InitContainers:*Container Containers:*Container EphemeralContainers:*EphemeralContainer RestartPolicy:s TerminationGracePeriodSeconds:* ActiveDeadlineSeconds:* DNSPolicy=dnsPolicy:s NodeSelector:* ServiceAccountName:s AutomountServiceAccountToken:* NodeName:s SecurityContext:*PodSecurityContext ImagePullSecrets:*LocalObjectReference Hostname:s Subdomain:s SetHostnameAsFQDN:* Affinity:*Affinity SchedulerName:s Tolerations:*Toleration HostAliases:*HostAlias PriorityClassName:s Priority:* PreemptionPolicy:* DNSConfig=dnsConfig:*PodDNSConfig ReadinessGates:*PodReadinessGate RuntimeClassName:* Overhead:* EnableServiceLinks:* TopologySpreadConstraints:*TopologySpreadConstraint OS=os:*PodOS SchedulingGates:*PodSchedulingGate ResourceClaims:*PodResourceClaim Resources:*ResourceRequirements HostnameOverride:* SchedulingGroup:*PodSchedulingGroup",
  PodTemplateSpec: "@ Spec:PodSpec",
  PolicyRulesWithSubjects:
    "Subjects:*FlowSubject ResourceRules:*ResourcePolicyRule NonResourceRules:*NonResourcePolicyRule",
  PortworxVolumeSource: "VolumeID:s FSType=fsType:s ReadOnly:b",
  PreferredSchedulingTerm: "Weight:n Preference:NodeSelectorTerm",
  PriorityLevelConfigurationReference: "Name:s",
  PriorityLevelConfigurationSpec:
    "Type:s Limited:*LimitedPriorityLevelConfiguration Exempt:*ExemptPriorityLevelConfiguration",
  Probe:
    "Exec:*ExecAction HTTPGet=httpGet:*HTTPGetAction TCPSocket=tcpSocket:*TCPSocketAction GRPC=grpc:*GRPCAction InitialDelaySeconds:n TimeoutSeconds:n PeriodSeconds:n SuccessThreshold:n FailureThreshold:n TerminationGracePeriodSeconds:*",
  ProjectedVolumeSource: "Sources:*VolumeProjection DefaultMode:*",
  QueuingConfiguration: "Queues:n HandSize:n QueueLengthLimit:n",
  QuobyteVolumeSource: "Registry:s Volume:s ReadOnly:b User:s Group:s Tenant:s",
  RBDVolumeSource:
    "CephMonitors=monitors:* RBDImage=image:s FSType=fsType:s RBDPool=pool:s RadosUser=user:s Keyring:s SecretRef:*LocalObjectReference ReadOnly:b",
  ResourceClaim: "Name:s Request:s",
  ResourceFieldSelector: "ContainerName:s Resource:s Divisor:m",
  ResourcePolicyRule: "Verbs:* APIGroups=apiGroups:* Resources:* ClusterScope:b Namespaces:*",
  ResourceRequirements: "Limits:* Requests:* Claims:*ResourceClaim",
  RollingUpdateDaemonSet: "MaxUnavailable:m MaxSurge:m",
  RollingUpdateDeployment: "MaxUnavailable:m MaxSurge:m",
  RollingUpdateStatefulSetStrategy: "Partition:n MaxUnavailable:*",
  SELinuxOptions: "User:s Role:s Type:s Level:s",
  ScaleIOVolumeSource:
    "Gateway:s System:s SecretRef:*LocalObjectReference SSLEnabled=sslEnabled:b ProtectionDomain:s StoragePool:s StorageMode:s VolumeName:s FSType=fsType:s ReadOnly:b",
  SeccompProfile: "Type:s LocalhostProfile:*",
  SecretEnvSource: "Name:s Optional:*",
  SecretKeySelector: "Name:s Key:s Optional:*",
  SecretProjection: "Name:s Items:*KeyToPath Optional:*",
  SecretVolumeSource: "SecretName:s Items:*KeyToPath DefaultMode:* Optional:*",
  SecurityContext:
    "Capabilities:*Capabilities Privileged:* SELinuxOptions=seLinuxOptions:*SELinuxOptions WindowsOptions:*WindowsSecurityContextOptions RunAsUser:* RunAsGroup:* RunAsNonRoot:* ReadOnlyRootFilesystem:* AllowPrivilegeEscalation:* ProcMount:* SeccompProfile:*SeccompProfile AppArmorProfile:*AppArmorProfile",
  ServiceAccountSubject: "Namespace:s Name:s",
  ServiceAccountTokenProjection: "Audience:s ExpirationSeconds:n Path:s",
  SleepAction: "Seconds:n",
  StatefulSetUpdateStrategy: "Type:s RollingUpdate:*RollingUpdateStatefulSetStrategy",
  StorageOSVolumeSource: "VolumeName:s VolumeNamespace:s FSType=fsType:s ReadOnly:b SecretRef:*LocalObjectReference",
  SuccessPolicy: "Rules:*SuccessPolicyRule",
  SuccessPolicyRule: "SucceededIndexes:* SucceededCount:*",
  Sysctl: "Name:s Value:s",
  TCPSocketAction: "Port:m Host:s",
  Toleration: "Key:s Operator:s Value:s Effect:s TolerationSeconds:*",
  TopologySpreadConstraint:
    "MaxSkew:n TopologyKey:s WhenUnsatisfiable:s LabelSelector:* MinDomains:* NodeAffinityPolicy:* NodeTaintsPolicy:* MatchLabelKeys:*",
  TypedLocalObjectReference: "APIGroup=apiGroup:* Kind:s Name:s",
  TypedObjectReference: "APIGroup=apiGroup:* Kind:s Name:s Namespace:*",
  UncountedTerminatedPods: "Succeeded:* Failed:*",
  Volume:
    "Name:s HostPath:*HostPathVolumeSource EmptyDir:*EmptyDirVolumeSource GCEPersistentDisk=gcePersistentDisk:*GCEPersistentDiskVolumeSource AWSElasticBlockStore=awsElasticBlockStore:*AWSElasticBlockStoreVolumeSource GitRepo:*GitRepoVolumeSource Secret:*SecretVolumeSource NFS=nfs:*NFSVolumeSource ISCSI=iscsi:*ISCSIVolumeSource Glusterfs:*GlusterfsVolumeSource PersistentVolumeClaim:*PersistentVolumeClaimVolumeSource RBD=rbd:*RBDVolumeSource Quobyte:*QuobyteVolumeSource FlexVolume:*FlexVolumeSource Cinder:*CinderVolumeSource CephFS=cephfs:*CephFSVolumeSource Flocker:*FlockerVolumeSource DownwardAPI:*DownwardAPIVolumeSource FC=fc:*FCVolumeSource AzureFile:*AzureFileVolumeSource ConfigMap:*ConfigMapVolumeSource VsphereVolume:*VsphereVirtualDiskVolumeSource AzureDisk:*AzureDiskVolumeSource PhotonPersistentDisk:*PhotonPersistentDiskVolumeSource Projected:*ProjectedVolumeSource PortworxVolume:*PortworxVolumeSource ScaleIO:*ScaleIOVolumeSource StorageOS=storageos:*StorageOSVolumeSource CSI=csi:*CSIVolumeSource Ephemeral:*EphemeralVolumeSource Image:*ImageVolumeSource",
  VolumeDevice: "Name:s DevicePath:s",
  VolumeMount: "Name:s ReadOnly:b RecursiveReadOnly:* MountPath:s SubPath:s MountPropagation:* SubPathExpr:s",
  VolumeProjection:
    "Secret:*SecretProjection DownwardAPI:*DownwardAPIProjection ConfigMap:*ConfigMapProjection ServiceAccountToken:*ServiceAccountTokenProjection ClusterTrustBundle:*ClusterTrustBundleProjection PodCertificate:*PodCertificateProjection",
  VolumeResourceRequirements: "Limits:* Requests:*",
  VsphereVirtualDiskVolumeSource: "VolumePath:s FSType=fsType:s StoragePolicyName:s StoragePolicyID:s",
  WeightedPodAffinityTerm: "Weight:n PodAffinityTerm:PodAffinityTerm",
  WindowsSecurityContextOptions:
    "GMSACredentialSpecName=gmsaCredentialSpecName:* GMSACredentialSpec=gmsaCredentialSpec:* RunAsUserName:* HostProcess:*",
});

interface Field {
  readonly go: string;
  readonly wire: string;
  readonly kind: string;
}

const parsed = new Map<string, readonly Field[]>();

/**
 * A value in the form in which kube-apiserver's errors print it: the JSON of its internal type, with Go's names, every field, and
 * null for absent ones.
 */
export function goJson(type: string, value: ReadonlyFields): ReadonlyFields {
  const shown: Record<string, unknown> = {};
  const from = type === "PodSpec" ? withHostFields(value) : value;
  for (const { go, wire, kind } of fieldsOf(type)) {
    if (kind === "@") Object.assign(shown, isFields(from.metadata) ? from.metadata : {});
    else shown[go] = shownValue(from[wire], kind, go);
  }
  return shown;
}

function shownValue(value: unknown, kind: string, name: string): unknown {
  if (kind === "s") return value ?? "";
  if (kind === "b") return value ?? false;
  if (kind === "n") return value ?? 0;
  if (kind === "m") return value ?? (name === "Divisor" ? "0" : 0);
  if (kind === "*") return value ?? null;
  const type = kind.replace("*", "");
  if (Array.isArray(value)) return value.map((item) => goJson(type, isFields(item) ? item : {}));
  if (absent(value) && kind.startsWith("*")) return null;
  return goJson(type, isFields(value) ? value : {});
}

/** Inside, what a pod shares with its host belongs to its security context. */
function withHostFields(spec: ReadonlyFields): ReadonlyFields {
  const {
    hostNetwork,
    hostPID,
    hostIPC,
    shareProcessNamespace,
    hostUsers,
    securityContext: given,
  }: FieldsOf<PodSpec> = spec;
  const context = isFields(given) ? given : {};
  return {
    ...spec,
    securityContext: {
      ...context,
      hostNetwork,
      hostPID,
      hostIPC,
      shareProcessNamespace,
      hostUsers,
    } satisfies FieldsOf<PodSpec>,
  };
}

function fieldsOf(type: string): readonly Field[] {
  const known = parsed.get(type);
  if (known !== undefined) return known;
  const fields = (INTERNAL_TYPES[type] ?? "").split(" ").map((entry): Field => {
    if (entry === "@") return { go: "", wire: "", kind: "@" };
    const [names = "", kind = ""] = entry.split(":");
    const [go = "", wire = go.charAt(0).toLowerCase() + go.slice(1)] = names.split("=");
    return { go, wire, kind };
  });
  parsed.set(type, fields);
  return fields;
}
