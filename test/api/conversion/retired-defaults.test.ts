import { describe } from "vitest";
import { type DefaultsRow, testDefaults } from "../../helpers/conversion-rows.js";

// Sources: kubernetes pkg/apis/{extensions,apps,networking,batch}/<version>/defaults.go, and the comments of k8s.io/api's
// types where a field says its default (extensions/v1beta1: revisionHistoryLimit, progressDeadlineSeconds, maxSurge, pathType).

const EXTENSIONS = "extensions/v1beta1";
const BETA1 = "apps/v1beta1";
const BETA2 = "apps/v1beta2";
const MAX_INT32 = 2147483647;

const labels = { app: "x" };
const template = { metadata: { labels } };
const metadata = { name: "x" };
/** What a selector and labels come to where only the template has labels. */
const labelled = { metadata: { name: "x", labels } };
const selected = { template, selector: { matchLabels: labels } };

const retention = { whenDeleted: "Retain", whenScaled: "Retain" };

const deployments: DefaultsRow[] = [
  [
    "keeps all history and has no deadline, one pod at a time",
    "Deployment",
    EXTENSIONS,
    { metadata, spec: { template } },
    {
      ...labelled,
      spec: {
        ...selected,
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
        revisionHistoryLimit: MAX_INT32,
        progressDeadlineSeconds: MAX_INT32,
      },
    },
  ],
  [
    "a rolling update that is stated is filled in, whatever the type",
    "Deployment",
    EXTENSIONS,
    { metadata, spec: { strategy: { type: "Recreate", rollingUpdate: {} } } },
    {
      metadata,
      spec: {
        replicas: 1,
        strategy: { type: "Recreate", rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } },
        revisionHistoryLimit: MAX_INT32,
        progressDeadlineSeconds: MAX_INT32,
      },
    },
  ],
  [
    "a Recreate has no rolling update, and what is stated stays",
    "Deployment",
    EXTENSIONS,
    {
      metadata: { name: "x", labels: { mine: "1" } },
      spec: {
        template,
        selector: {},
        replicas: 0,
        strategy: { type: "Recreate" },
        revisionHistoryLimit: 0,
        progressDeadlineSeconds: 5,
      },
    },
    {
      metadata: { name: "x", labels: { mine: "1" } },
      spec: {
        template,
        selector: {},
        replicas: 0,
        strategy: { type: "Recreate" },
        revisionHistoryLimit: 0,
        progressDeadlineSeconds: 5,
      },
    },
  ],
  [
    "labels that are stated and empty make an empty selector",
    "Deployment",
    BETA1,
    { metadata, spec: { template: { metadata: { labels: {} } } } },
    {
      metadata,
      spec: {
        template: { metadata: { labels: {} } },
        selector: {},
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        revisionHistoryLimit: 2,
        progressDeadlineSeconds: 600,
      },
    },
  ],
  [
    "keeps two revisions, a quarter of the pods at a time",
    "Deployment",
    BETA1,
    { metadata, spec: { template, strategy: { rollingUpdate: { maxSurge: 3 } } } },
    {
      ...labelled,
      spec: {
        ...selected,
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: 3 } },
        revisionHistoryLimit: 2,
        progressDeadlineSeconds: 600,
      },
    },
  ],
  [
    "a rolling update that does not apply is not filled in",
    "Deployment",
    BETA1,
    { metadata, spec: { strategy: { type: "Recreate", rollingUpdate: {} } } },
    {
      metadata,
      spec: {
        replicas: 1,
        strategy: { type: "Recreate", rollingUpdate: {} },
        revisionHistoryLimit: 2,
        progressDeadlineSeconds: 600,
      },
    },
  ],
  [
    "as in apps/v1: nothing from the template, ten revisions",
    "Deployment",
    BETA2,
    { metadata, spec: { template } },
    {
      metadata,
      spec: {
        template,
        replicas: 1,
        strategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: "25%", maxSurge: "25%" } },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    },
  ],
];

const sets: DefaultsRow[] = [
  [
    "replaced when deleted",
    "DaemonSet",
    EXTENSIONS,
    { metadata, spec: { template } },
    { ...labelled, spec: { ...selected, updateStrategy: { type: "OnDelete" }, revisionHistoryLimit: 10 } },
  ],
  [
    "rolled one at a time when it says so",
    "DaemonSet",
    EXTENSIONS,
    { metadata, spec: { updateStrategy: { type: "RollingUpdate" } } },
    {
      metadata,
      spec: {
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
    },
  ],
  [
    "as in apps/v1: rolled",
    "DaemonSet",
    BETA2,
    { metadata, spec: { template } },
    {
      metadata,
      spec: {
        template,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        revisionHistoryLimit: 10,
      },
    },
  ],
  [
    "selects its template's pods",
    "ReplicaSet",
    EXTENSIONS,
    { metadata, spec: { template } },
    { ...labelled, spec: { ...selected, replicas: 1 } },
  ],
  [
    "as in apps/v1: selects nothing by itself",
    "ReplicaSet",
    BETA2,
    { metadata, spec: { template } },
    { metadata, spec: { template, replicas: 1 } },
  ],
  [
    "replaced when deleted",
    "StatefulSet",
    BETA1,
    { metadata, spec: { template } },
    {
      ...labelled,
      spec: {
        ...selected,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "OnDelete" },
        persistentVolumeClaimRetentionPolicy: retention,
        replicas: 1,
        revisionHistoryLimit: 10,
      },
    },
  ],
  [
    "a rolling update is filled in only where it is stated",
    "StatefulSet",
    BETA1,
    { metadata, spec: { updateStrategy: { type: "RollingUpdate" } } },
    {
      metadata,
      spec: {
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate" },
        persistentVolumeClaimRetentionPolicy: retention,
        replicas: 1,
        revisionHistoryLimit: 10,
      },
    },
  ],
  [
    "a rolling update that is stated has a partition, a claim its mode",
    "StatefulSet",
    BETA1,
    {
      metadata,
      spec: {
        replicas: 3,
        updateStrategy: { type: "RollingUpdate", rollingUpdate: {} },
        persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" },
        volumeClaimTemplates: [{ metadata }],
      },
    },
    {
      metadata,
      spec: {
        replicas: 3,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete", whenDeleted: "Retain" },
        revisionHistoryLimit: 10,
        volumeClaimTemplates: [{ metadata, spec: { volumeMode: "Filesystem" }, status: { phase: "Pending" } }],
      },
    },
  ],
  [
    "as in apps/v1: rolled",
    "StatefulSet",
    BETA2,
    { metadata, spec: { template } },
    {
      metadata,
      spec: {
        template,
        podManagementPolicy: "OrderedReady",
        updateStrategy: { type: "RollingUpdate", rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: retention,
        replicas: 1,
        revisionHistoryLimit: 10,
      },
    },
  ],
];

const path = (more: object) => ({ path: "/", backend: { serviceName: "s", servicePort: 80 }, ...more });
const ingress = (more: object) => ({ metadata, spec: { rules: [{ host: "h" }, { http: { paths: [path(more)] } }] } });
const policy = (more: object) => ({ metadata, spec: { podSelector: {}, ...more } });
const scoped = (parameters: object) => ({ metadata, spec: { controller: "c/x", parameters } });
const cron = (more: object) => ({ metadata, spec: { schedule: "* * * * *", ...more } });

const others: DefaultsRow[] = [
  [
    "a path's type is its controller's business",
    "Ingress",
    EXTENSIONS,
    ingress({}),
    ingress({ pathType: "ImplementationSpecific" }),
  ],
  [
    "a path's type is its controller's business",
    "Ingress",
    "networking.k8s.io/v1beta1",
    ingress({}),
    ingress({ pathType: "ImplementationSpecific" }),
  ],
  [
    "a path's type that is stated stays",
    "Ingress",
    EXTENSIONS,
    ingress({ pathType: "Exact" }),
    ingress({ pathType: "Exact" }),
  ],
  ["a path's type has no default", "Ingress", "networking.k8s.io/v1", ingress({}), ingress({})],
  ["ingress alone", "NetworkPolicy", EXTENSIONS, policy({}), policy({ policyTypes: ["Ingress"] })],
  [
    "egress where there is some; a port's protocol stays unset",
    "NetworkPolicy",
    EXTENSIONS,
    policy({ ingress: [{ ports: [{ port: 80 }] }], egress: [{}] }),
    policy({ ingress: [{ ports: [{ port: 80 }] }], egress: [{}], policyTypes: ["Ingress", "Egress"] }),
  ],
  [
    "types that are stated stay",
    "NetworkPolicy",
    EXTENSIONS,
    policy({ egress: [{}], policyTypes: ["Egress"] }),
    policy({ egress: [{}], policyTypes: ["Egress"] }),
  ],
  [
    "the scope of parameters stays unset",
    "IngressClass",
    "networking.k8s.io/v1beta1",
    scoped({ kind: "P", name: "p" }),
    scoped({ kind: "P", name: "p" }),
  ],
  [
    "the scope of parameters is the cluster",
    "IngressClass",
    "networking.k8s.io/v1",
    scoped({ kind: "P", name: "p" }),
    scoped({ kind: "P", name: "p", scope: "Cluster" }),
  ],
  [
    "as in batch/v1",
    "CronJob",
    "batch/v1beta1",
    cron({}),
    cron({ concurrencyPolicy: "Allow", suspend: false, successfulJobsHistoryLimit: 3, failedJobsHistoryLimit: 1 }),
  ],
  [
    "none",
    "PodDisruptionBudget",
    "policy/v1beta1",
    { metadata, spec: { selector: {} } },
    { metadata, spec: { selector: {} } },
  ],
  ["none", "Scale", EXTENSIONS, { metadata, spec: {} }, { metadata, spec: {} }],
];

const podSpec = { containers: [{ name: "c", image: "nginx" }] };
const defaultedPodSpec = {
  containers: [
    {
      name: "c",
      image: "nginx",
      imagePullPolicy: "Always",
      terminationMessagePath: "/dev/termination-log",
      terminationMessagePolicy: "File",
      resources: {},
    },
  ],
  restartPolicy: "Always",
  dnsPolicy: "ClusterFirst",
  schedulerName: "default-scheduler",
  terminationGracePeriodSeconds: 30,
  securityContext: {},
};

const templates: DefaultsRow[] = [
  [
    "a template's own",
    "ReplicaSet",
    EXTENSIONS,
    { metadata, spec: { replicas: 1, template: { spec: podSpec } } },
    { metadata, spec: { replicas: 1, template: { spec: defaultedPodSpec } } },
  ],
  [
    "a list's, item by item",
    "ReplicaSetList",
    EXTENSIONS,
    { items: [{ metadata, spec: { template: { metadata: { labels }, spec: podSpec } } }] },
    {
      items: [
        {
          ...labelled,
          spec: {
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: defaultedPodSpec },
          },
        },
      ],
    },
  ],
];

describe("default values of Deployments in removed API versions", () => testDefaults(deployments));
describe("default values of DaemonSets, ReplicaSets and StatefulSets in removed API versions", () =>
  testDefaults(sets));
describe("default values of other kinds in removed API versions", () => testDefaults(others));
describe("default values of pod templates and lists in removed API versions", () => testDefaults(templates));
