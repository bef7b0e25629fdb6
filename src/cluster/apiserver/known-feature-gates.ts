/** Gates of alpha and beta features of Kubernetes 1.36, by their default. */
const ON = `
  APIResponseCompression APIServerIdentity AllowParsingUserUIDFromCertAuth AtomicFIFO
  AuthorizePodWebsocketUpgradeCreatePermission CPUManagerPolicyBetaOptions CRDObservedGenerationTracking
  ClearingNominatedNodeNameAfterBinding ClientsAllowCARotation ClientsAllowTLSCacheGC ComponentFlagz ComponentStatusz
  ConstrainedImpersonation ContainerCheckpoint ContainerRestartRules ContextualLogging DRAConsumableCapacity
  DRADeviceBindingConditions DRADeviceTaints DRAExtendedResource DRAPartitionableDevices DRAResourceClaimDeviceStatus
  DRAResourceClaimGranularStatusAuthorization DRASchedulerFilterTimeout DeclarativeValidationBeta
  DeploymentReplicaSetTerminatingReplicas DetectCacheInconsistency EnvFiles ExtendWebSocketsToKubelet GracefulNodeShutdown
  GracefulNodeShutdownBasedOnPodPriority HPAConfigurableTolerance HostnameOverride InOrderInformersBatchProcess
  InPlacePodLevelResourcesVerticalScaling InPlacePodVerticalScalingInitContainers KubeletCrashLoopBackOffMax
  KubeletEnsureSecretPulledImages KubeletSeparateDiskGC KubeletServiceAccountTokenForCredentialProviders
  ListFromCacheSnapshot LoggingBetaOptions MatchLabelKeysInPodTopologySpread
  MatchLabelKeysInPodTopologySpreadSelectorMerge MutablePodResourcesForSuspendedJobs
  MutableSchedulingDirectivesForSuspendedJobs NodeDeclaredFeatures NominatedNodeNameForExpectation OpenAPIEnums
  OpportunisticBatching PLEGOnDemandRelist PodDeletionCost PodLevelResources PodReadyToStartContainersCondition
  PodTopologyLabelsAdmission PortForwardWebsockets PreventStaticPodAPIReferences RelaxedServiceNameValidation
  ReloadKubeletClientCAFile ReloadKubeletServerCertificateFile RemoteRequestHeaderUID ResourceHealthStatus
  ResourceHealthStatusMessage RestartAllContainersOnContainerExits RotateKubeletServerCertificate SchedulerAsyncPreemption
  SchedulerPopFromBackoffQ ServiceAccountNodeAudienceRestriction SizeBasedListCostEstimate
  StaleControllerConsistencyDaemonSet StaleControllerConsistencyJob StaleControllerConsistencyReplicaSet
  StaleControllerConsistencyStatefulSet StatefulSetSemanticRevisionComparison StorageVersionHash StrictIPCIDRValidation
  StructuredAuthenticationConfigurationEgressSelector StructuredAuthenticationConfigurationJWKSMetrics
  TokenRequestServiceAccountUIDValidation TopologyManagerPolicyBetaOptions TranslateStreamCloseWebsocketRequests
  UnauthenticatedHTTP2DOSMitigation UnknownVersionInteroperabilityProxy UnlockWhileProcessingFIFO
  WatchCacheInitializationPostStartHook WatchList WatchListClient WindowsGracefulNodeShutdown`;

const OFF = `
  APIServingWithRoutine AllAlpha AllBeta AllowUnsafeMalformedObjectDeletion CBORServingAndStorage
  CPUManagerPolicyAlphaOptions CRIListStreaming CSIVolumeHealth ClientsAllowCBOR ClientsPreferCBOR
  CloudControllerManagerWatchBasedRoutesReconciliation CloudControllerManagerWebhook ClusterTrustBundle
  ClusterTrustBundleProjection ConcurrentWatchObjectDecode ContainerStopSignals
  ControllerManagerReleaseLeaderElectionLockOnExit CoordinatedLeaderElection CrossNamespaceVolumeDataSource
  DRADeviceTaintRules DRAListTypeAttributes DRANodeAllocatableResources DRAResourcePoolStatus DRAWorkloadResourceClaims
  EventedPLEG GangScheduling GenericWorkload HPAScaleToZero ImageVolumeWithDigest InPlacePodVerticalScalingExclusiveCPUs
  InPlacePodVerticalScalingExclusiveMemory KubeletInUserNamespace LocalStorageCapacityIsolationFSQuotaMonitoring
  LoggingAlphaOptions ManifestBasedAdmissionControlConfig MaxUnavailableStatefulSet MemoryQoS MutablePVNodeAffinity
  NativeHistograms PersistentVolumeClaimUnusedSinceTime PodAndContainerStatsFromCRI PodCertificateRequest
  PodLevelResourceManagers PodLogsQuerySplitStreams PodsAPI QOSReserved ReduceDefaultCrashLoopBackOffDecay
  RuntimeClassInImageCriApi SELinuxMount SchedulerAsyncAPICalls ShardedListAndWatch StorageCapacityScoring
  StorageVersionAPI StorageVersionMigrator TaintTolerationComparisonOperators TopologyAwareWorkloadScheduling
  TopologyManagerPolicyAlphaOptions UserNamespacesHostNetworkSupport VolumeLimitScaling WindowsCPUAndMemoryAffinity
  WorkloadAwarePreemption WorkloadWithJob`;

/** Gates of features that are stable, which were switched on for good, and that may be given all the same. */
const ALWAYS_ON = `
  APIServerTracing AnonymousAuthConfigurableEndpoints AuthorizeNodeWithSelectors AuthorizeWithSelectors BtreeWatchCache
  CRDValidationRatcheting ConsistentListFromCache CustomResourceFieldSelectors DisableAllocatorDualWrite
  DynamicResourceAllocation ExecProbeTimeout ImageMaximumGCAge InPlacePodVerticalScaling JobManagedBy
  JobPodReplacementPolicy KubeletCgroupDriverFromCRI KubeletTracing LogarithmicScaleDown MatchLabelKeysInPodAffinity
  MemoryManager MultiCIDRServiceAllocator NFTablesProxyMode NodeInclusionPolicyInPodTopologySpread NodeSwap
  OrderedNamespaceDeletion PodLifecycleSleepAction PodLifecycleSleepActionAllowZero PodObservedGenerationTracking
  PodSchedulingReadiness PreferSameTrafficDistribution RecoverVolumeExpansionFailure RelaxedDNSSearchValidation
  RelaxedEnvironmentVariableValidation ResilientWatchCacheInitialization RetryGenerateName SchedulerQueueingHints
  SeparateTaintEvictionController ServiceAccountTokenJTI ServiceAccountTokenNodeBinding
  ServiceAccountTokenNodeBindingValidation ServiceAccountTokenPodNodeInfo StreamingCollectionEncodingToJSON
  StreamingCollectionEncodingToProtobuf StructuredAuthenticationConfiguration StructuredAuthorizationConfiguration
  SupplementalGroupsPolicy SystemdWatchdog TopologyAwareHints VolumeAttributesClass WinDSR WinOverlay`;

/** Gates of stable features that 1.36 can still switch off. */
const STABLE = `
  CPUCFSQuotaPeriod CSIServiceAccountTokenSecrets DRAAdminAccess DRAPrioritizedList DeclarativeValidation
  DisableCPUQuotaWithExclusiveCPUs ExternalServiceAccountTokenSigner ImageVolume KubeletFineGrainedAuthz KubeletPSI
  KubeletPodResourcesDynamicResources KubeletPodResourcesGet MutableCSINodeAllocatableCount MutatingAdmissionPolicy
  NodeLogQuery ProcMountType SELinuxChangePolicy SELinuxMountReadWriteOncePod TopologyManagerPolicyOptions
  UserNamespacesSupport`;

/** Gates of behaviour that is going, by whether it is still there. */
const DEPRECATED_ON = "DisableNodeKubeProxyVersion KubeletPodResourcesListUseActivePods StorageNamespaceIndex";
const DEPRECATED_OFF = `
  AllowDNSOnlyNodeCSR AllowInsecureKubeletCertificateSigningRequests ChangeContainerStatusOnKubeletRestart
  DeclarativeValidationTakeover GitRepoVolumeDriver KMSv1 KubeletRegistrationGetOnExistsOnly SeparateCacheWatchRPC
  WindowsHostNetwork`;
const ALWAYS_OFF = "AllowOverwriteTerminationGracePeriodSeconds WatchFromStorageWithoutResourceVersion";

/** What a gate's metric says of its feature: of a stable one nothing. */
type Stage = "ALPHA" | "BETA" | "DEPRECATED" | "";

export interface FeatureGate {
  readonly stage: Stage;
  readonly enabled: boolean;
  /** Whether it cannot be changed. */
  readonly locked: boolean;
}

const named = (names: string, gate: FeatureGate): (readonly [string, FeatureGate])[] =>
  names
    .trim()
    .split(/\s+/)
    .map((name) => [name, gate] as const);

/** The gates that kube-apiserver 1.36 knows, by their names. */
export const knownFeatureGates: ReadonlyMap<string, FeatureGate> = new Map([
  ...named(ON, { stage: "BETA", enabled: true, locked: false }),
  ...named(OFF, { stage: "ALPHA", enabled: false, locked: false }),
  ...named(STABLE, { stage: "", enabled: true, locked: false }),
  ...named(ALWAYS_ON, { stage: "", enabled: true, locked: true }),
  ...named("AggregatedDiscoveryRemoveBetaType", { stage: "DEPRECATED", enabled: true, locked: true }),
  ...named(DEPRECATED_ON, { stage: "DEPRECATED", enabled: true, locked: false }),
  ...named(DEPRECATED_OFF, { stage: "DEPRECATED", enabled: false, locked: false }),
  ...named(ALWAYS_OFF, { stage: "DEPRECATED", enabled: false, locked: true }),
]);
