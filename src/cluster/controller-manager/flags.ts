import type { ComponentFlag, FlagSection } from "../../component/component-flag.js";
import { controllerNames, controllersOffByDefault } from "../../api/controllers/index.js";
import { parseIpv4Prefix } from "../../base/numbers/ipv4-prefix.js";
import { authenticationSection, authorizationSection } from "../programs/delegated-flags.js";
import { leaderElectionFlags } from "../programs/leader-election-flags.js";
import { secureServingSection } from "../programs/secure-serving-flags.js";
import { featureFlags, logsSection, metricsSection } from "../programs/usual-sections.js";
import { withoutEffect } from "../programs/without-effect.js";

/** The name of the program, and of its Lease. */
export const CONTROLLER_MANAGER = "kube-controller-manager";

/** The one feature gate that the program obeys. */
export const RELEASES_LEASE = "ControllerManagerReleaseLeaderElectionLockOnExit";

const NO_CLOUD = "the program knows no cloud";
const FIXED = "the controller keeps to Kubernetes' default";
const AT_ONCE = "the controller follows changes, and looks at nothing in periods";
const NOTHING_TO_PROFILE = "the program serves no profiles";
const NO_RECYCLER = "the controller recycles no volumes";
const NOT_SIGNED = "the controller signs certificates of clients alone";
const ALL_AT_ONCE = "endpoints are written when they change";

/** How many objects of a controller are synchronized at a time; `flag` is the number's flag. */
export const WORKERS: readonly {
  readonly flag: string;
  readonly section: string;
  readonly workers: number;
  readonly what: string;
}[] = [
  { flag: "concurrent-cron-job-syncs", section: "cronjob-controller", workers: 5, what: "CronJobs" },
  { flag: "concurrent-daemonset-syncs", section: "daemonset-controller", workers: 2, what: "DaemonSets" },
  { flag: "concurrent-deployment-syncs", section: "deployment-controller", workers: 5, what: "Deployments" },
  { flag: "concurrent-endpoint-syncs", section: "endpoints-controller", workers: 5, what: "Endpoints" },
  { flag: "concurrent-gc-syncs", section: "garbage-collector-controller", workers: 20, what: "dependents" },
  {
    flag: "concurrent-horizontal-pod-autoscaler-syncs",
    section: "horizontal-pod-autoscaler-controller",
    workers: 5,
    what: "HorizontalPodAutoscalers",
  },
  { flag: "concurrent-job-syncs", section: "job-controller", workers: 5, what: "Jobs" },
  { flag: "concurrent-namespace-syncs", section: "namespace-controller", workers: 10, what: "deleted namespaces" },
  {
    flag: "concurrent-rc-syncs",
    section: "replicationcontroller-controller",
    workers: 5,
    what: "ReplicationControllers",
  },
  { flag: "concurrent-replicaset-syncs", section: "replicaset-controller", workers: 5, what: "ReplicaSets" },
  {
    flag: "concurrent-resource-quota-syncs",
    section: "resourcequota-controller",
    workers: 5,
    what: "ResourceQuotas",
  },
  {
    flag: "concurrent-service-endpoint-syncs",
    section: "endpointslice-controller",
    workers: 5,
    what: "Services with EndpointSlices",
  },
  {
    flag: "concurrent-serviceaccount-token-syncs",
    section: "serviceaccount-token-controller",
    workers: 5,
    what: "Secrets with tokens",
  },
  { flag: "concurrent-statefulset-syncs", section: "statefulset-controller", workers: 5, what: "StatefulSets" },
  {
    flag: "concurrent-ttl-after-finished-syncs",
    section: "ttl-after-finished-controller",
    workers: 5,
    what: "finished Jobs",
  },
  {
    flag: "mirroring-concurrent-service-endpoint-syncs",
    section: "endpointslice-mirroring-controller",
    workers: 5,
    what: "mirrored Endpoints",
  },
];

const positive = (text: string): string | undefined => (Number(text) > 0 ? undefined : "must be larger than 0");

/** The flags of {@link WORKERS} for one controller. */
const syncs = (controller: string): readonly ComponentFlag[] =>
  WORKERS.filter(({ section }) => section === controller).map(({ flag, workers, what }) => ({
    name: flag,
    type: "int32",
    default: String(workers),
    usage: `How many ${what} are synchronized at a time.`,
    check: positive,
  }));

/** The same for a controller that synchronizes one object after the other. */
const oneWorker = (flag: string, workers: number, what: string): ComponentFlag =>
  withoutEffect(
    flag,
    "int32",
    String(workers),
    `How many ${what} are synchronized at a time.`,
    "the controller synchronizes one after the other",
  );

const blocks = (text: string): string | undefined => {
  const wrong = text.split(",").find((block) => text !== "" && parseIpv4Prefix(block) === undefined);
  return wrong === undefined ? undefined : `${JSON.stringify(wrong)} is not a block of IPv4 addresses`;
};

const oneOf =
  (...values: readonly string[]) =>
  (text: string): string | undefined =>
    values.includes(text) ? undefined : `must be one of ${values.map((value) => JSON.stringify(value)).join(", ")}`;

/** The pair of flags with the authority of one signer. */
const signing = (signer: string, name: string): readonly ComponentFlag[] => [
  {
    name: `cluster-signing-${name}-cert-file`,
    type: "string",
    usage: `A file with the authority of certificates by kubernetes.io/${signer}, PEM; in place of --cluster-signing-cert-file.`,
  },
  {
    name: `cluster-signing-${name}-key-file`,
    type: "string",
    usage: `A file with the private key of that authority, PEM.`,
  },
];

/** The same, of a signer that the controller does not have. */
const unsigned = (signer: string, name: string): readonly ComponentFlag[] =>
  signing(signer, name).map((flag) => ({ ...flag, withoutEffect: NOT_SIGNED }));

/** The flags of kube-controller-manager 1.36 in the sections of its help, without those of {@link globalSection}. */
export const controllerManagerSections: readonly FlagSection[] = [
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
  {
    name: "generic",
    flags: [
      {
        name: "allocate-node-cidrs",
        type: "bool",
        usage: "Give each Node without one a block of --cluster-cidr for its pods.",
      },
      {
        name: "allow-untagged-cloud",
        type: "bool",
        usage: "Run in a cloud without a cluster id.",
        dropped: "it has no meaning without a cloud",
      },
      {
        name: "cidr-allocator-type",
        type: "string",
        default: "RangeAllocator",
        usage: "Who gives Nodes their blocks: RangeAllocator.",
        check: oneOf("RangeAllocator"),
      },
      withoutEffect("cloud-config", "string", "", "The configuration of a cloud.", NO_CLOUD),
      {
        name: "cloud-provider",
        type: "string",
        usage: 'The cloud: "" or external, which has a controller manager of its own.',
        check: oneOf("", "external"),
      },
      {
        name: "cluster-cidr",
        type: "string",
        usage: "The addresses of all pods, a block of IPv4 addresses. Only with --allocate-node-cidrs.",
        check: (text) => blocks(text) ?? (text.includes(",") ? "give one block: pods have IPv4 addresses" : undefined),
      },
      withoutEffect("cluster-name", "string", "kubernetes", "What names of objects in a cloud begin with.", NO_CLOUD),
      withoutEffect("configure-cloud-routes", "bool", "true", "Make routes to pods in a cloud.", NO_CLOUD),
      {
        name: "controller-shutdown-timeout",
        type: "duration",
        default: "10s",
        usage: "How long the end of the program waits for its controllers.",
      },
      withoutEffect("controller-start-interval", "duration", "", "The pause between the starts of controllers.", FIXED),
      {
        name: "controllers",
        type: "stringSlice",
        default: "[*]",
        usage:
          `Which controllers run: * all but those that are off by default, NAME that one, -NAME not that one. There are ${controllerNames.join(", ")}. ` +
          `Off by default: ${controllersOffByDefault.join(", ")}.`,
      },
      withoutEffect("external-cloud-volume-plugin", "string", "", "The volume plugin of a cloud.", NO_CLOUD),
      ...featureFlags(`${RELEASES_LEASE} gives the Lease up at the end; no other gate has an effect.`),
      {
        name: "kube-api-burst",
        type: "int32",
        default: "30",
        usage: "How many requests may exceed --kube-api-qps for a moment.",
        check: positive,
      },
      withoutEffect(
        "kube-api-content-type",
        "string",
        "application/vnd.kubernetes.protobuf",
        "The encoding of requests.",
        "requests are in JSON",
      ),
      {
        name: "kube-api-qps",
        type: "float64",
        default: "20",
        usage:
          "How many requests all controllers together send in a second. Without the flag there is no limit: in Kubernetes the limit is each controller's.",
        check: positive,
      },
      ...leaderElectionFlags(CONTROLLER_MANAGER),
      withoutEffect("min-resync-period", "duration", "12h0m0s", "How often all objects are looked at.", AT_ONCE),
      withoutEffect("node-monitor-period", "duration", "5s", "How often a cloud's nodes are looked at.", NO_CLOUD),
      {
        name: "node-sync-period",
        type: "duration",
        usage: "How often nodes are read.",
        dropped: "use --node-monitor-grace-period",
      },
      withoutEffect("route-reconciliation-period", "duration", "10s", "How often routes are looked at.", NO_CLOUD),
      withoutEffect(
        "use-service-account-credentials",
        "bool",
        "",
        "Give each controller a service account of its own.",
        "all controllers send their requests as the user of --kubeconfig",
      ),
    ],
  },
  {
    name: "service-lb-controller",
    flags: [
      withoutEffect(
        "concurrent-service-syncs",
        "int32",
        "1",
        "How many Services get load balancers at a time.",
        NO_CLOUD,
      ),
    ],
  },
  secureServingSection(10257),
  authenticationSection(false),
  authorizationSection,
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
  {
    name: "certificatesigningrequest-signing-controller",
    flags: [
      {
        name: "cluster-signing-cert-file",
        type: "string",
        usage: "A file with the authority that signs certificates, PEM. Without authorities nothing is signed.",
      },
      {
        name: "cluster-signing-duration",
        type: "duration",
        default: "8760h0m0s",
        usage: "How long a signed certificate is valid at most.",
        check: positiveDuration,
      },
      {
        name: "cluster-signing-key-file",
        type: "string",
        usage: "A file with the private key of that authority, PEM.",
      },
      ...signing("kube-apiserver-client", "kube-apiserver-client"),
      ...signing("kube-apiserver-client-kubelet", "kubelet-client"),
      ...unsigned("kubelet-serving", "kubelet-serving"),
      ...unsigned("legacy-unknown", "legacy-unknown"),
    ],
  },
  { name: "deployment-controller", flags: syncs("deployment-controller") },
  { name: "statefulset-controller", flags: syncs("statefulset-controller") },
  { name: "daemonset-controller", flags: syncs("daemonset-controller") },
  {
    name: "device-taint-eviction-controller",
    flags: [oneWorker("concurrent-device-taint-eviction-syncs", 8, "pods with tainted devices")],
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

function positiveDuration(text: string): string | undefined {
  return /^-|^\+?(?:0[a-zµμ]*)+$/.test(text) ? "must be longer than 0s" : undefined;
}
