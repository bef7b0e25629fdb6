import { type FlagSection, flagsOfVersion, withoutEffect } from "../../component/component-flag.js";
import {
  delegatedAuthenticationSection,
  delegatedAuthorizationSection,
} from "../../component/apiserver-flags/delegated.js";
import { secureServingSection } from "../programs/secure-serving-flags.js";
import { metricsSection } from "../../component/apiserver-flags/metrics.js";
import { logsSection } from "../../component/logging/logging-flags.js";
import { AT_ONCE, blocks, FIXED, NO_CLOUD, positiveDuration } from "./flag-parts.js";
import { genericSection } from "./generic-section.js";
import { signingSection } from "./signing-section.js";
import { oneWorker, syncs } from "./worker-flags.js";

const NOTHING_TO_PROFILE = "the program serves no profiles";
const NO_RECYCLER = "the controller recycles no volumes";
const ALL_AT_ONCE = "endpoints are written when they change";

/** The flags of kube-controller-manager of a version in the sections of its help, without those of {@link globalSection}. */
export const controllerManagerSections = (version?: string): readonly FlagSection[] =>
  flagsOfVersion(ALL_VERSIONS, version);

const ALL_VERSIONS: readonly FlagSection[] = [
  {
    name: "debugging",
    flags: [
      withoutEffect("contention-profiling", "bool", "", "Profile blocked goroutines.", NOTHING_TO_PROFILE),
      withoutEffect("profiling", "bool", "true", "Serve profiles on /debug/pprof/.", NOTHING_TO_PROFILE),
    ],
  },
  {
    name: "leader-migration",
    flags: [
      withoutEffect("enable-leader-migration", "bool", "", "Move controllers to another program.", NO_CLOUD),
      withoutEffect("leader-migration-config", "string", "", "Which controllers move.", NO_CLOUD),
    ],
  },
  genericSection,
  {
    name: "service-lb-controller",
    flags: [
      {
        ...withoutEffect(
          "concurrent-service-syncs",
          "int32",
          "1",
          "How many Services get load balancers at a time.",
          NO_CLOUD,
        ),
        until: "1.36",
      },
      // K37-082
      {
        name: "concurrent-service-syncs",
        type: "int32",
        usage: "A flag of earlier versions.",
        dropped: "the program knows no cloud",
        hidden: true,
        since: "1.37",
      },
    ],
  },
  secureServingSection(10257),
  delegatedAuthenticationSection(false),
  delegatedAuthorizationSection(undefined),
  {
    name: "persistentvolume-attach-detach-controller",
    flags: [
      withoutEffect(
        "attach-detach-reconcile-sync-period",
        "duration",
        "1m0s",
        "How often volumes are compared.",
        AT_ONCE,
      ),
      withoutEffect("disable-attach-detach-reconcile-sync", "bool", "", "Do not compare volumes in periods.", AT_ONCE),
      {
        name: "disable-force-detach-on-timeout",
        type: "bool",
        usage: "Never detach a volume that its node still shows as mounted.",
        refused:
          "the controller detaches such a volume after six minutes; switch it off with --controllers=*,-persistentvolume-attach-detach-controller",
      },
    ],
  },
  signingSection,
  { name: "deployment-controller", flags: syncs("deployment-controller") },
  { name: "statefulset-controller", flags: syncs("statefulset-controller") },
  { name: "daemonset-controller", flags: syncs("daemonset-controller") },
  {
    name: "device-taint-eviction-controller",
    flags: [oneWorker("concurrent-device-taint-eviction-syncs", 8, "pods with tainted devices")],
  },
  {
    name: "disruption-controller",
    flags: [
      ...syncs("disruption-controller"),
      {
        ...oneWorker("concurrent-disruption-stalepod-syncs", 1, "pods whose disruption has not come"),
        since: "1.37",
      },
    ],
  },
  {
    name: "endpoints-controller",
    flags: [
      ...syncs("endpoints-controller"),
      withoutEffect("endpoint-updates-batch-period", "duration", "", "How long Endpoints are gathered.", ALL_AT_ONCE),
    ],
  },
  {
    name: "endpointslice-controller",
    flags: [
      ...syncs("endpointslice-controller"),
      withoutEffect("endpointslice-updates-batch-period", "duration", "", "How long slices are gathered.", ALL_AT_ONCE),
      withoutEffect("max-endpoints-per-slice", "int32", "100", "How many endpoints a slice holds.", FIXED),
    ],
  },
  {
    name: "endpointslice-mirroring-controller",
    flags: [
      ...syncs("endpointslice-mirroring-controller"),
      withoutEffect(
        "mirroring-endpointslice-updates-batch-period",
        "duration",
        "",
        "How long mirrored slices are gathered.",
        ALL_AT_ONCE,
      ),
      withoutEffect("mirroring-max-endpoints-per-subset", "int32", "1000", "How many endpoints are mirrored.", FIXED),
    ],
  },
  {
    name: "ephemeral-volume-controller",
    flags: [oneWorker("concurrent-ephemeralvolume-syncs", 5, "pods with ephemeral volumes")],
  },
  {
    name: "garbage-collector-controller",
    flags: [
      ...syncs("garbage-collector-controller"),
      {
        name: "enable-garbage-collector",
        type: "bool",
        default: "true",
        usage: "Run the garbage collector. The API server must have the same setting.",
      },
    ],
  },
  {
    name: "horizontal-pod-autoscaler-controller",
    flags: [
      ...syncs("horizontal-pod-autoscaler-controller"),
      withoutEffect(
        "horizontal-pod-autoscaler-cpu-initialization-period",
        "duration",
        "5m0s",
        "How long the CPU of a new pod does not count.",
        FIXED,
      ),
      withoutEffect(
        "horizontal-pod-autoscaler-downscale-stabilization",
        "duration",
        "5m0s",
        "How far back recommendations count before fewer pods run.",
        FIXED,
      ),
      withoutEffect(
        "horizontal-pod-autoscaler-initial-readiness-delay",
        "duration",
        "30s",
        "How long changes of a new pod's readiness are its first readiness.",
        FIXED,
      ),
      withoutEffect("horizontal-pod-autoscaler-sync-period", "duration", "15s", "How often metrics are read.", FIXED),
      withoutEffect("horizontal-pod-autoscaler-tolerance", "float64", "0.1", "Which deviation changes nothing.", FIXED),
    ],
  },
  { name: "job-controller", flags: syncs("job-controller") },
  { name: "cronjob-controller", flags: syncs("cronjob-controller") },
  {
    name: "legacy-serviceaccount-token-cleaner-controller",
    flags: [
      withoutEffect(
        "legacy-service-account-token-clean-up-period",
        "duration",
        "8760h0m0s",
        "How long a token in a Secret may go unused.",
        FIXED,
      ),
    ],
  },
  {
    name: "namespace-controller",
    flags: [
      ...syncs("namespace-controller"),
      withoutEffect("namespace-sync-period", "duration", "5m0s", "How often namespaces are looked at.", AT_ONCE),
    ],
  },
  {
    name: "node-ipam-controller",
    flags: [
      {
        name: "node-cidr-mask-size",
        type: "int32",
        usage: "How many bits the addresses of a Node's pods have in common; 0 is 24.",
      },
      {
        name: "node-cidr-mask-size-ipv4",
        type: "int32",
        usage: "The same; it comes before --node-cidr-mask-size.",
      },
      withoutEffect("node-cidr-mask-size-ipv6", "int32", "", "The same for IPv6.", "pods have IPv4 addresses"),
      {
        name: "service-cluster-ip-range",
        type: "string",
        usage: "The addresses of Services, which no Node gets. Only with --allocate-node-cidrs.",
        check: blocks,
      },
    ],
  },
  {
    name: "node-lifecycle-controller",
    flags: [
      withoutEffect("large-cluster-size-threshold", "int32", "50", "How many nodes a large cluster has.", FIXED),
      withoutEffect("node-eviction-rate", "float64", "0.1", "How many nodes a second lose their pods.", FIXED),
      {
        name: "node-monitor-grace-period",
        type: "duration",
        default: "50s",
        usage: "How long a node may be silent before it counts as lost.",
        check: positiveDuration,
      },
      withoutEffect("node-startup-grace-period", "duration", "1m0s", "The same for a node that starts.", FIXED),
      withoutEffect("secondary-node-eviction-rate", "float64", "0.01", "The rate where a zone is unhealthy.", FIXED),
      withoutEffect("unhealthy-zone-threshold", "float64", "0.55", "Which share of lost nodes makes a zone so.", FIXED),
    ],
  },
  {
    name: "persistentvolume-binder-controller",
    flags: [
      withoutEffect("enable-dynamic-provisioning", "bool", "true", "Let provisioners make volumes.", FIXED),
      {
        name: "enable-hostpath-provisioner",
        type: "bool",
        usage: "Make volumes of folders of the host.",
        refused: "the controller makes no volumes of the host's folders; a provisioner must run in the cluster",
      },
      withoutEffect(
        "flex-volume-plugin-dir",
        "string",
        "/usr/libexec/kubernetes/kubelet-plugins/volume/exec/",
        "The folder of volume plugins.",
        "there are no volume plugins",
      ),
      withoutEffect("pv-recycler-increment-timeout-nfs", "int32", "30", "The time for each Gi of NFS.", NO_RECYCLER),
      withoutEffect(
        "pv-recycler-minimum-timeout-hostpath",
        "int32",
        "60",
        "The least time of a host path.",
        NO_RECYCLER,
      ),
      withoutEffect("pv-recycler-minimum-timeout-nfs", "int32", "300", "The least time of NFS.", NO_RECYCLER),
      withoutEffect("pv-recycler-pod-template-filepath-hostpath", "string", "", "The pod of a host path.", NO_RECYCLER),
      withoutEffect("pv-recycler-pod-template-filepath-nfs", "string", "", "The pod of NFS.", NO_RECYCLER),
      withoutEffect("pv-recycler-timeout-increment-hostpath", "int32", "30", "The time for each Gi.", NO_RECYCLER),
      withoutEffect("pvclaimbinder-sync-period", "duration", "15s", "How often volumes are compared.", AT_ONCE),
    ],
  },
  {
    name: "pod-garbage-collector-controller",
    flags: [
      {
        name: "terminated-pod-gc-threshold",
        type: "int32",
        default: "12500",
        usage: "How many pods that have ended are kept. With 0 or less, all of them.",
      },
    ],
  },
  { name: "replicaset-controller", flags: syncs("replicaset-controller") },
  { name: "replicationcontroller-controller", flags: syncs("replicationcontroller-controller") },
  { name: "resourceclaim-controller", flags: [oneWorker("concurrent-resourceclaim-syncs", 50, "ResourceClaims")] },
  {
    name: "resourcequota-controller",
    flags: [
      ...syncs("resourcequota-controller"),
      withoutEffect("resource-quota-sync-period", "duration", "5m0s", "How often quotas are counted anew.", FIXED),
    ],
  },
  {
    name: "serviceaccount-controller",
    flags: [
      ...syncs("serviceaccount-token-controller"),
      {
        name: "root-ca-file",
        type: "string",
        usage:
          "A file with the authority that pods verify the API server by, PEM. Without it, the authority of --kubeconfig.",
      },
      {
        name: "service-account-private-key-file",
        type: "string",
        usage:
          "A file with the private key that signs tokens in Secrets, PEM. Without it there are no tokens in Secrets.",
      },
    ],
  },
  { name: "ttl-after-finished-controller", flags: syncs("ttl-after-finished-controller") },
  {
    name: "validatingadmissionpolicy-status-controller",
    flags: [oneWorker("concurrent-validating-admission-policy-status-syncs", 5, "ValidatingAdmissionPolicies")],
  },
  metricsSection,
  logsSection,
  {
    name: "misc",
    flags: [
      { name: "kubeconfig", type: "string", usage: "A kubeconfig of the API server and of the program's user there." },
      { name: "master", type: "string", usage: "The address of the API server, in place of that of --kubeconfig." },
    ],
  },
];
