import { describe, expect, it } from "vitest";
import { type ChangeRow, change, rowName } from "./workload-kinds.js";

const DEPLOYMENT_UPDATE_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { replicas: 3 }, []],
  [
    {},
    {
      selector: { matchLabels: { app: "x", b: "c" } },
      template: { metadata: { labels: { app: "x", b: "c" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
    ['spec.selector: Invalid value: {"matchLabels":{"app":"x","b":"c"}}: field is immutable'],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [
            { name: "c", image: "i" },
            { name: "d", image: "i" },
          ],
        },
      },
    },
    [],
  ],
  [
    {},
    { template: { metadata: { labels: { app: "y" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"y"}: `selector` does not match template `labels`'],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [{}, { minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
];

const REPLICA_SET_UPDATE_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { replicas: 3 }, []],
  [
    {},
    {
      selector: { matchLabels: { app: "x", b: "c" } },
      template: { metadata: { labels: { app: "x", b: "c" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
    ['spec.selector: Invalid value: {"matchLabels":{"app":"x","b":"c"}}: field is immutable'],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [
            { name: "c", image: "i" },
            { name: "d", image: "i" },
          ],
        },
      },
    },
    [],
  ],
  [
    {},
    { template: { metadata: { labels: { app: "y" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"y"}: `selector` does not match template `labels`'],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [{}, { minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
];

const DAEMON_SET_UPDATE_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { replicas: 3 }, []],
  [
    {},
    {
      selector: { matchLabels: { app: "x", b: "c" } },
      template: { metadata: { labels: { app: "x", b: "c" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
    ['spec.selector: Invalid value: {"matchLabels":{"app":"x","b":"c"}}: field is immutable'],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [
            { name: "c", image: "i" },
            { name: "d", image: "i" },
          ],
        },
      },
    },
    [],
  ],
  [
    {},
    { template: { metadata: { labels: { app: "y" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"y"}: `selector` does not match template `labels`'],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [{}, { minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
];

const STATEFUL_SET_UPDATE_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { replicas: 3 }, []],
  [
    {},
    {
      selector: { matchLabels: { app: "x", b: "c" } },
      template: { metadata: { labels: { app: "x", b: "c" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
    [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: {
          containers: [
            { name: "c", image: "i" },
            { name: "d", image: "i" },
          ],
        },
      },
    },
    [],
  ],
  [
    {},
    { template: { metadata: { labels: { app: "y" } }, spec: { containers: [{ name: "c", image: "i" }] } } },
    ['spec.template.metadata.labels: Invalid value: {"app":"y"}: `selector` does not match template `labels`'],
  ],
  [
    {},
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    ['spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"'],
  ],
  [{}, { minReadySeconds: -1 }, ["spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"]],
  [
    { serviceName: "a" },
    { serviceName: "b" },
    [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  ],
  [
    {},
    { podManagementPolicy: "Parallel" },
    [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  ],
  [
    {},
    {
      volumeClaimTemplates: [
        {
          metadata: { name: "d" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
    },
    [
      "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ],
  ],
  [{}, { ordinals: { start: 1 } }, []],
  [{}, { updateStrategy: { type: "OnDelete" } }, []],
  [{}, { revisionHistoryLimit: 3 }, []],
  [{ serviceName: "BAD" }, { serviceName: "BAD" }, []],
];

const JOB_UPDATE_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { parallelism: 5 }, ["spec.completions: Invalid value: null: field is immutable"]],
  [{}, { completions: 5 }, ["spec.completions: Invalid value: 5: field is immutable"]],
  [{}, { suspend: true }, []],
  [
    {},
    { template: { spec: { containers: [{ name: "c", image: "j" }], restartPolicy: "Never" } } },
    [
      'spec.template: Invalid value: {"labels":{"batch.kubernetes.io/controller-uid":"u1","batch.kubernetes.io/job-name":"x","controller-uid":"u1","job-name":"x"},"Spec":{"Volumes":null,"InitContainers":null,"Containers":[{"Name":"c","Image":"j","Command":null,"Args":null,"WorkingDir":"","Ports":null,"EnvFrom":null,"Env":null,"Resources":{"Limits":null,"Requests":null,"Claims":null},"ResizePolicy":null,"RestartPolicy":null,"RestartPolicyRules":null,"VolumeMounts":null,"VolumeDevices":null,"LivenessProbe":null,"ReadinessProbe":null,"StartupProbe":null,"Lifecycle":null,"TerminationMessagePath":"/dev/termination-log","TerminationMessagePolicy":"File","ImagePullPolicy":"Always","SecurityContext":null,"Stdin":false,"StdinOnce":false,"TTY":false}],"EphemeralContainers":null,"RestartPolicy":"Never","TerminationGracePeriodSeconds":30,"ActiveDeadlineSeconds":null,"DNSPolicy":"ClusterFirst","NodeSelector":null,"ServiceAccountName":"","AutomountServiceAccountToken":null,"NodeName":"","SecurityContext":{"HostNetwork":false,"HostPID":false,"HostIPC":false,"ShareProcessNamespace":null,"HostUsers":null,"SELinuxOptions":null,"WindowsOptions":null,"RunAsUser":null,"RunAsGroup":null,"RunAsNonRoot":null,"SupplementalGroups":null,"SupplementalGroupsPolicy":null,"FSGroup":null,"FSGroupChangePolicy":null,"Sysctls":null,"SeccompProfile":null,"AppArmorProfile":null,"SELinuxChangePolicy":null},"ImagePullSecrets":null,"Hostname":"","Subdomain":"","SetHostnameAsFQDN":null,"Affinity":null,"SchedulerName":"default-scheduler","Tolerations":null,"HostAliases":null,"PriorityClassName":"","Priority":null,"PreemptionPolicy":null,"DNSConfig":null,"ReadinessGates":null,"RuntimeClassName":null,"Overhead":null,"EnableServiceLinks":null,"TopologySpreadConstraints":null,"OS":null,"SchedulingGates":null,"ResourceClaims":null,"Resources":null,"HostnameOverride":null,"SchedulingGroup":null}}: field is immutable',
    ],
  ],
  [{}, { completionMode: "Indexed" }, ['spec.completionMode: Invalid value: "Indexed": field is immutable']],
  [
    { completionMode: "Indexed", completions: 2, parallelism: 2 },
    { completionMode: "Indexed", completions: 3, parallelism: 3 },
    [],
  ],
  [
    { completionMode: "Indexed", completions: 2, parallelism: 2 },
    { completionMode: "Indexed", completions: 3, parallelism: 2 },
    ["spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism"],
  ],
  [{}, { backoffLimit: 3 }, []],
  [{}, { managedBy: "a.b/c" }, ['spec.managedBy: Invalid value: "a.b/c": field is immutable']],
  [{}, { ttlSecondsAfterFinished: 3 }, []],
  [
    {},
    { podFailurePolicy: { rules: [{ action: "Count", onPodConditions: [{ type: "X" }] }] } },
    [
      'spec.podFailurePolicy: Invalid value: {"Rules":[{"Action":"Count","OnExitCodes":null,"OnPodConditions":[{"Type":"X","Status":"True"}]}]}: field is immutable',
    ],
  ],
  [
    { completionMode: "Indexed", completions: 2 },
    { completionMode: "Indexed", completions: 2, successPolicy: { rules: [{ succeededCount: 1 }] } },
    ['spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: field is immutable'],
  ],
  [{}, { activeDeadlineSeconds: 9 }, []],
];

const CRON_JOB_UPDATE_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { schedule: "0 * * * *" }, []],
  [{}, { schedule: "bad" }, ['spec.schedule: Invalid value: "bad": expected exactly 5 fields, found 1: [bad]']],
  [
    {},
    { schedule: "TZ=UTC * * * * *" },
    [
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [{ schedule: "TZ=UTC * * * * *" }, { schedule: "TZ=UTC 0 * * * *" }, []],
  [
    { schedule: "TZ=UTC * * * * *" },
    { schedule: "TZ=UTC 0 * * * *", timeZone: "UTC" },
    ['spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use both timeZone field and TZ or CRON_TZ in schedule'],
  ],
  [{ timeZone: "Bad/Zone" }, { timeZone: "Bad/Zone" }, []],
  [{}, { timeZone: "Bad/Zone" }, ['spec.timeZone: Invalid value: "Bad/Zone": unknown time zone Bad/Zone']],
];

const DEPLOYMENT_STATUS_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [
    {},
    { replicas: -1 },
    [
      "status.replicas: Invalid value: -1: must be greater than or equal to 0",
      "status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas",
    ],
  ],
  [
    {},
    { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
    ["status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"],
  ],
  [
    {},
    { replicas: 1, updatedReplicas: 2 },
    ["status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, readyReplicas: 2 },
    ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, availableReplicas: 2 },
    [
      "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
    ],
  ],
  [
    {},
    { observedGeneration: -1 },
    ["status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ collisionCount: 2 }, { collisionCount: 1 }, ["status.collisionCount: Invalid value: 1: cannot be decremented"]],
];

const REPLICA_SET_STATUS_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [
    {},
    { replicas: -1 },
    [
      "status.replicas: Invalid value: -1: must be greater than or equal to 0",
      "status.fullyLabeledReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas",
    ],
  ],
  [
    {},
    { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
    ["status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"],
  ],
  [
    {},
    { replicas: 1, fullyLabeledReplicas: 2 },
    ["status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, readyReplicas: 2 },
    ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, availableReplicas: 2 },
    [
      "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
    ],
  ],
  [
    {},
    { observedGeneration: -1 },
    ["status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"],
  ],
];

const REPLICATION_CONTROLLER_STATUS_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [
    {},
    { replicas: -1 },
    [
      "status.replicas: Invalid value: -1: must be greater than or equal to 0",
      "status.fullyLabeledReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas",
    ],
  ],
  [
    {},
    { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
    ["status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas"],
  ],
  [
    {},
    { replicas: 1, fullyLabeledReplicas: 2 },
    ["status.fullyLabeledReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, readyReplicas: 2 },
    ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, availableReplicas: 2 },
    [
      "status.availableReplicas: Invalid value: 2: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas",
    ],
  ],
  [
    {},
    { observedGeneration: -1 },
    ["status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"],
  ],
];

const STATEFUL_SET_STATUS_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [
    {},
    { replicas: -1 },
    [
      "status.replicas: Invalid value: -1: must be greater than or equal to 0",
      "status.readyReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.currentReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.updatedReplicas: Invalid value: 0: cannot be greater than status.replicas",
      "status.availableReplicas: Invalid value: 0: cannot be greater than status.replicas",
    ],
  ],
  [
    {},
    { replicas: 2, readyReplicas: 1, availableReplicas: 2 },
    ["status.availableReplicas: Invalid value: 2: cannot be greater than status.readyReplicas"],
  ],
  [
    {},
    { replicas: 1, readyReplicas: 2 },
    ["status.readyReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, currentReplicas: 2 },
    ["status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { replicas: 1, updatedReplicas: 2 },
    ["status.updatedReplicas: Invalid value: 2: cannot be greater than status.replicas"],
  ],
  [
    {},
    { observedGeneration: -1 },
    ["status.observedGeneration: Invalid value: -1: must be greater than or equal to 0"],
  ],
];

const DAEMON_SET_STATUS_ROWS: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { numberReady: -1 }, ["status.numberReady: Invalid value: -1: must be greater than or equal to 0"]],
  [{ collisionCount: 2 }, {}, ["status.collisionCount: Invalid value: 0: cannot be decremented"]],
  [
    {},
    { numberAvailable: -1, numberUnavailable: -1 },
    [
      "status.numberAvailable: Invalid value: -1: must be greater than or equal to 0",
      "status.numberUnavailable: Invalid value: -1: must be greater than or equal to 0",
    ],
  ],
];

describe("changes of workloads and jobs", () => {
  it.each(DEPLOYMENT_UPDATE_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a Deployment's spec: %s",
    (_, [old, changed, errors]) => {
      expect(change("deploymentUpdate", old, changed)).toEqual(errors);
    },
  );
  it.each(REPLICA_SET_UPDATE_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a ReplicaSet's spec: %s",
    (_, [old, changed, errors]) => {
      expect(change("replicaSetUpdate", old, changed)).toEqual(errors);
    },
  );
  it.each(DAEMON_SET_UPDATE_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a DaemonSet's spec: %s",
    (_, [old, changed, errors]) => {
      expect(change("daemonSetUpdate", old, changed)).toEqual(errors);
    },
  );
  it.each(STATEFUL_SET_UPDATE_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a StatefulSet's spec: %s",
    (_, [old, changed, errors]) => {
      expect(change("statefulSetUpdate", old, changed)).toEqual(errors);
    },
  );
  it.each(JOB_UPDATE_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a Job's spec: %s",
    (_, [old, changed, errors]) => {
      expect(change("jobUpdate", old, changed)).toEqual(errors);
    },
  );
  it.each(CRON_JOB_UPDATE_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a CronJob's spec: %s",
    (_, [old, changed, errors]) => {
      expect(change("cronJobUpdate", old, changed)).toEqual(errors);
    },
  );
  it.each(DEPLOYMENT_STATUS_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a Deployment's status: %s",
    (_, [old, changed, errors]) => {
      expect(change("deploymentStatus", old, changed)).toEqual(errors);
    },
  );
  it.each(REPLICA_SET_STATUS_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a ReplicaSet's status: %s",
    (_, [old, changed, errors]) => {
      expect(change("replicaSetStatus", old, changed)).toEqual(errors);
    },
  );
  it.each(REPLICATION_CONTROLLER_STATUS_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a ReplicationController's status: %s",
    (_, [old, changed, errors]) => {
      expect(change("replicationControllerStatus", old, changed)).toEqual(errors);
    },
  );
  it.each(STATEFUL_SET_STATUS_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a StatefulSet's status: %s",
    (_, [old, changed, errors]) => {
      expect(change("statefulSetStatus", old, changed)).toEqual(errors);
    },
  );
  it.each(DAEMON_SET_STATUS_ROWS.map((row) => [rowName(row[0], row[1]), row] as const))(
    "a DaemonSet's status: %s",
    (_, [old, changed, errors]) => {
      expect(change("daemonSetStatus", old, changed)).toEqual(errors);
    },
  );
});
