import { describe, expect, it } from "vitest";
import { change, type ChangeRow, rowName } from "./workload-kinds.js";

const named = (rows: readonly ChangeRow[]) => rows.map((row) => [rowName(row[0], row[1]), row] as const);

const RULES: readonly ChangeRow[] = [
  [{}, {}, []],
  [{}, { replicas: 3 }, []],
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

const STATEFUL_SET_ONLY =
  "spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";

const SELECTOR_FIXED = 'spec.selector: Invalid value: {"matchLabels":{"app":"x","b":"c"}}: field is immutable';

/** Other labels, which the template has as well. */
const OTHER_SELECTOR = {
  selector: { matchLabels: { app: "x", b: "c" } },
  template: { metadata: { labels: { app: "x", b: "c" } }, spec: { containers: [{ name: "c", image: "i" }] } },
};

describe.each([
  ["deploymentUpdate", SELECTOR_FIXED],
  ["replicaSetUpdate", SELECTOR_FIXED],
  ["daemonSetUpdate", SELECTOR_FIXED],
  ["statefulSetUpdate", STATEFUL_SET_ONLY],
] as const)("validation of an updated workload by the rules of all kinds: %s", (kind, selectorError) => {
  it.each(named(RULES))("returns kube-apiserver's errors for: %s", (_, [old, changed, errors]) => {
    expect(change(kind, old, changed)).toEqual(errors);
  });
  it("refuses a changed selector", () => {
    expect(change(kind, {}, OTHER_SELECTOR)).toEqual([selectorError]);
  });
});

const STATEFUL_SET_ROWS: readonly ChangeRow[] = [
  [{ serviceName: "a" }, { serviceName: "b" }, [STATEFUL_SET_ONLY]],
  [{}, { podManagementPolicy: "Parallel" }, [STATEFUL_SET_ONLY]],
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
    [STATEFUL_SET_ONLY],
  ],
  [{}, { ordinals: { start: 1 } }, []],
  [{}, { updateStrategy: { type: "OnDelete" } }, []],
  [{}, { revisionHistoryLimit: 3 }, []],
  [{ serviceName: "BAD" }, { serviceName: "BAD" }, []],
];

const JOB_ROWS: readonly ChangeRow[] = [
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

const CRON_JOB_ROWS: readonly ChangeRow[] = [
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

describe.each([
  ["statefulSetUpdate", STATEFUL_SET_ROWS],
  ["jobUpdate", JOB_ROWS],
  ["cronJobUpdate", CRON_JOB_ROWS],
] as const)("validation of an updated workload by the rules of its kind alone: %s", (kind, rows) => {
  it.each(named(rows))("returns kube-apiserver's errors for: %s", (_, [old, changed, errors]) => {
    expect(change(kind, old, changed)).toEqual(errors);
  });
});

const NODES = { nodeSelector: { zone: "a" }, tolerations: [{ key: "k", operator: "Exists" }] };
const LARGER = { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "2" } } }] };
const OTHER_IMAGE = { containers: [{ name: "c", image: "j" }] };
const STARTED = { startTime: "2026-01-01T00:00:00Z" };
const SUSPENDED = { conditions: [{ type: "Suspended", status: "True" }] };

/** Where a job's pods go, and what they ask for, may change while it is suspended and nothing of it runs. */
describe.each([
  ["never started", {}, true],
  ["was suspended", { ...STARTED, ...SUSPENDED }, true],
  ["still has pods", { ...STARTED, ...SUSPENDED, active: 1 }, false],
  ["is being suspended", STARTED, false],
  ["runs", { ...STARTED, spec: { suspend: false } }, false],
] as const)("validation of an update of a Job that %s", (_, state, mutable) => {
  it.each([
    ["nodes", NODES],
    ["resources", LARGER],
  ] as const)("accepts other %s in the pod template only while the Job is suspended and has no pods", (__, pod) => {
    const errors = change("suspendedJobUpdate", state, { ...state, pod });
    if (mutable) expect(errors).toEqual([]);
    else expect(errors).toEqual([expect.stringMatching(/^spec\.template: Invalid value: \{.*\}: field is immutable$/)]);
  });
  it("refuses another image", () => {
    const path = mutable ? /^spec\.template(\.spec)?: Invalid value: .*: field is immutable$/ : /^spec\.template: /;
    expect(change("suspendedJobUpdate", state, { ...state, pod: OTHER_IMAGE })).toEqual([expect.stringMatching(path)]);
  });
});
