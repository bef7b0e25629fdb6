/** The objects of a file beside this one, and the arguments of `kubectl get` that show them. */
export interface Group {
  readonly name: string;
  readonly commands: readonly string[];
}

/** Each of the arguments without and with -o wide. */
const both = (...targets: readonly string[]): readonly string[] =>
  targets.flatMap((target) => [target, `${target} -o wide`]);

/** One for each file of objects. The names after a kind leave out what the server has made by itself. */
export const GROUPS: readonly Group[] = [
  {
    name: "core",
    commands: [
      ...both(
        "configmaps",
        "secrets",
        "serviceaccounts",
        "limitranges",
        "resourcequotas",
        "events",
        "events.events.k8s.io",
      ),
      ...both("namespaces x-active x-labelled x-terminating", "nodes"),
      "componentstatuses",
      "configmaps --show-labels",
      "configmaps -L a,b",
      "configmaps -A -l a=1",
      "configmaps --no-headers",
      "configmaps,secrets",
      "nodes --show-labels x-new x-control",
    ],
  },
  {
    name: "workloads",
    commands: [
      ...both("deployments", "replicasets", "statefulsets", "daemonsets", "controllerrevisions"),
      ...both("replicationcontrollers", "podtemplates", "horizontalpodautoscalers"),
      "horizontalpodautoscalers.v1.autoscaling",
      "deployments -A --show-labels",
      "deployments ready rolling --subresource=scale",
      "deployments ready --subresource=status",
    ],
  },
  { name: "batch", commands: both("jobs", "cronjobs") },
  {
    name: "networking",
    commands: [
      ...both("services", "endpoints", "endpointslices", "ingresses", "ingressclasses", "networkpolicies"),
      ...both("ipaddresses", "servicecidrs"),
      "ipaddresses 10.96.200.1 --show-labels",
    ],
  },
  {
    name: "storage",
    commands: both(
      "persistentvolumes",
      "persistentvolumeclaims",
      "storageclasses",
      "volumeattributesclasses",
      "volumeattachments",
      "csidrivers",
      "csinodes",
      "csistoragecapacities",
    ),
  },
  {
    name: "rbac-and-policy",
    commands: both(
      "roles",
      "rolebindings",
      "clusterroles x-aggregated x-empty x-metrics",
      "clusterrolebindings x-account x-nobody x-users",
      "poddisruptionbudgets",
      "priorityclasses",
      "runtimeclasses",
      "leases",
      "leasecandidates",
    ),
  },
  {
    name: "machinery",
    commands: both(
      "flowschemas",
      "prioritylevelconfigurations",
      "validatingwebhookconfigurations",
      "mutatingwebhookconfigurations",
      "validatingadmissionpolicies",
      "validatingadmissionpolicybindings",
      "mutatingadmissionpolicies",
      "mutatingadmissionpolicybindings",
      "apiservices v1. v1.apps v1.bare.example.org v1.metrics.example.org v1.other.example.org",
      "customresourcedefinitions",
      "storageversionmigrations",
      "storageversions",
    ),
  },
  {
    name: "devices-and-certificates",
    commands: [
      ...both("deviceclasses", "resourceclaims", "resourceclaimtemplates", "resourceslices", "devicetaintrules"),
      ...both("resourcepoolstatusrequests"),
      ...both("workloads", "podgroups", "compositepodgroups", "evictionrequests", "evictions"),
      ...both("certificatesigningrequests", "clustertrustbundles", "podcertificaterequests"),
      "resourceclaims.v1beta1.resource.k8s.io",
    ],
  },
  { name: "pods", commands: ["pods", "pods -o wide", "pods --field-selector=status.phase=Failed"] },
];
