import { describe, expect, it } from "vitest";
import type { Fields } from "../../../src/machinery/meta/access.js";
import { create, type CreateRow, moved, rowName } from "./workload-kinds.js";

/** A template, and what is wrong with it, at the path of a workload's. */
type TemplateRow = readonly [template: Fields, errors: readonly string[]];

const TEMPLATE_RULES: readonly TemplateRow[] = [
  [{ metadata: { labels: { app: "x" } }, spec: { containers: [] } }, ["spec.template.spec.containers: Required value"]],
  [
    { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "C", image: "" }] } },
    [
      "spec.template.spec.containers[0].name: Invalid value: \"C\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      "spec.template.spec.containers[0].image: Required value",
    ],
  ],
  [
    { metadata: { labels: { app: "x", "b c": "d" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    [
      "spec.template.labels: Invalid value: \"b c\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      metadata: { labels: { app: "x" }, annotations: { "a b": "c" } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
    [
      "spec.template.annotations: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }], ephemeralContainers: [{ name: "e", image: "i" }] },
    },
    ["spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }], nodeSelector: { "x y": "z" } },
    },
    [
      "spec.template.spec.nodeSelector: Invalid value: \"x y\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i", ports: [{ containerPort: 80 }] }], hostNetwork: true },
    },
    [],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: {
        containers: [{ name: "c", image: "i" }],
        volumes: [{ name: "t", projected: { sources: [{ serviceAccountToken: { path: "t" } }] } }],
      },
    },
    [],
  ],
  [
    {
      metadata: { labels: { app: "x" } },
      spec: { containers: [{ name: "c", image: "i" }], volumes: [{ name: "i", image: {} }] },
    },
    [],
  ],
  [{ metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: " i" }] } }, []],
];

type Wrap = (template: Fields) => Fields;

const asSpec: Wrap = (template) => ({ template });
/** Of a job's pods it must be said that they end. */
const asJob: Wrap = (template) => ({
  template: { ...template, spec: { ...(template.spec as Fields), restartPolicy: "Never" } },
});

describe.each([
  ["a Deployment", "deployment", "spec.template", asSpec],
  ["a ReplicaSet", "replicaSet", "spec.template", asSpec],
  ["a DaemonSet", "daemonSet", "spec.template", asSpec],
  ["a StatefulSet", "statefulSet", "spec.template", asSpec],
  ["a ReplicationController", "replicationController", "spec.template", asSpec],
  ["a PodTemplate", "podTemplate", "template", (template: Fields) => template],
  ["a Job", "job", "spec.template", asJob],
  ["a CronJob's job", "cronJobTemplate", "spec.jobTemplate.spec.template", asJob],
] as const)("validation of the pod template of %s", (_, kind, path, wrap) => {
  // Its metadata is looked at twice there, and both say what they found.
  const twice = kind === "statefulSet" ? /^spec\.template\.(labels|annotations):/ : /^$/;
  it.each(TEMPLATE_RULES.map((row) => [rowName(row[0]), row] as const))(
    "returns kube-apiserver's errors for: %s",
    (__, [template, errors]) => {
      const said = [...errors, ...errors.filter((error) => twice.test(error))];
      expect(create(kind, wrap(template))).toEqual({ errors: moved(said, "spec.template", path), warnings: [] });
    },
  );
});

const labels = { app: "x" };
const container = { name: "c", image: "i" };
const NO_MATCH =
  'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`';

/** Workloads that keep their pods running, by the name that errors call them. */
describe.each([
  ["deployment", "ReplicaSet"],
  ["replicaSet", "ReplicaSet"],
  ["daemonSet", "DaemonSet"],
  ["statefulSet", "StatefulSet"],
  ["replicationController", "ReplicationController"],
] as const)("validation of a %s, whose pods must always be restarted", (kind, called) => {
  const of = (spec: Fields) => ({ template: { metadata: { labels }, spec: { containers: [container], ...spec } } });

  it.each(["Never", "OnFailure"])("refuses the restart policy %s", (restartPolicy) => {
    const error = `spec.template.spec.restartPolicy: Unsupported value: "${restartPolicy}": supported values: "Always"`;
    expect(create(kind, of({ restartPolicy }))).toEqual({ errors: [error], warnings: [] });
  });
  it("refuses an active deadline", () => {
    const why = `activeDeadlineSeconds in ${called} is not Supported`;
    const error = `spec.template.spec.activeDeadlineSeconds: Forbidden: ${why}`;
    expect(create(kind, of({ activeDeadlineSeconds: 5 }))).toEqual({ errors: [error], warnings: [] });
  });
});

type SelectorRow = readonly [selector: Fields, errors: readonly string[]];

const SELECTORS: readonly SelectorRow[] = [
  [
    { matchLabels: { app: "y" } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [{ matchExpressions: [{ key: "app", operator: "Exists" }] }, []],
  [{ matchExpressions: [{ key: "app", operator: "NotIn", values: ["z"] }] }, []],
];

/** Most workloads say as well that the whole cannot be read, each in its way. */
const UNREADABLE_SELECTORS: readonly SelectorRow[] = [
  [
    { matchLabels: { app: "x y" } },
    [
      "spec.selector.matchLabels: Invalid value: \"x y\": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')",
    ],
  ],
  [
    { matchExpressions: [{ key: "app", operator: "In" }] },
    ["spec.selector.matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
  ],
  [
    { matchExpressions: [{ key: "app", operator: "Bad" }] },
    ['spec.selector.matchExpressions[0].operator: Invalid value: "Bad": not a valid selector operator'],
  ],
  [
    { matchLabels: { "a b": "x" } },
    [
      "spec.selector.matchLabels: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
    ],
  ],
];

const unread = (why: string) => (selector: Fields) => [
  `spec.selector: Invalid value: ${JSON.stringify(selector)}${why}`,
];

describe.each([
  ["deployment", "deployment", true, unread(": invalid label selector")],
  ["replicaSet", "deployment", true, unread(": invalid label selector")],
  ["daemonSet", "daemonset", false, () => []],
  ["statefulSet", "statefulset", true, unread("")],
] as const)("validation of the selector of a %s", (kind, called, needed, whole) => {
  it("refuses a missing selector", () => {
    const errors = [...(needed ? ["spec.selector: Required value"] : []), NO_MATCH];
    expect(create(kind, { selector: null })).toEqual({ errors, warnings: [] });
  });
  it("refuses an empty selector", () => {
    const error = `spec.selector: Invalid value: {}: empty selector is invalid for ${called}`;
    expect(create(kind, { selector: {} })).toEqual({ errors: [error], warnings: [] });
  });
  it.each(SELECTORS.map((row) => [rowName(row[0]), row] as const))(
    "returns kube-apiserver's errors for: %s",
    (_, [selector, errors]) => {
      expect(create(kind, { selector })).toEqual({ errors, warnings: [] });
    },
  );
  it.each(UNREADABLE_SELECTORS.map((row) => [rowName(row[0]), row] as const))(
    "refuses a selector that cannot be parsed: %s",
    (_, [selector, errors]) => {
      expect(create(kind, { selector })).toEqual({ errors: [...errors, ...whole(selector)], warnings: [] });
    },
  );
});

describe.each([
  ["deployment", ["replicas", "minReadySeconds", "revisionHistoryLimit"]],
  ["replicaSet", ["replicas", "minReadySeconds"]],
  ["daemonSet", ["minReadySeconds", "revisionHistoryLimit"]],
  ["statefulSet", ["replicas", "minReadySeconds"]],
  ["replicationController", ["replicas", "minReadySeconds"]],
] as const)("validation of a new %s", (kind, counts) => {
  it("accepts the valid example", () => {
    expect(create(kind, {})).toEqual({ errors: [], warnings: [] });
  });
  it.each(counts)("refuses a negative %s and accepts 0", (field) => {
    const error = `spec.${field}: Invalid value: -1: must be greater than or equal to 0`;
    expect(create(kind, { [field]: -1 })).toEqual({ errors: [error], warnings: [] });
    expect(create(kind, { [field]: 0 }).errors).toEqual([]);
  });
});

const DEPLOYMENT_ROWS: readonly CreateRow[] = [
  [
    { progressDeadlineSeconds: 0 },
    ["spec.progressDeadlineSeconds: Invalid value: 0: must be greater than minReadySeconds"],
  ],
  [
    { progressDeadlineSeconds: 5, minReadySeconds: 5 },
    ["spec.progressDeadlineSeconds: Invalid value: 5: must be greater than minReadySeconds"],
  ],
  [
    { progressDeadlineSeconds: -1 },
    [
      "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
      "spec.progressDeadlineSeconds: Invalid value: -1: must be greater than minReadySeconds",
    ],
  ],
  [{ strategy: { type: "Recreate" } }, []],
  [
    { strategy: { type: "Recreate", rollingUpdate: {} } },
    ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
  ],
  [
    { strategy: { type: "Blue" } },
    [
      'spec.strategy: Unsupported value: {"Type":"Blue","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: -1 } } },
    ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: "101%" } } },
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: "abc" } } },
    [
      "spec.strategy.rollingUpdate.maxUnavailable: Invalid value: \"abc\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
    ],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
    ["spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0"],
  ],
  [
    { strategy: { rollingUpdate: { maxUnavailable: "0%", maxSurge: "0%" } } },
    ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "0%": may not be 0 when `maxSurge` is 0'],
  ],
  [
    { strategy: { rollingUpdate: { maxSurge: -1 } } },
    ["spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ strategy: { rollingUpdate: { maxSurge: "200%" } } }, []],
  [{ strategy: { rollingUpdate: { maxUnavailable: "50%", maxSurge: 0 } } }, []],
  [{ strategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } }, []],
  [{ strategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: "10%" } } }, []],
];

const DAEMON_SET_ROWS: readonly CreateRow[] = [
  [{ updateStrategy: { type: "OnDelete" } }, []],
  [
    { updateStrategy: { type: "Blue" } },
    [
      'spec.updateStrategy: Unsupported value: {"Type":"Blue","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: -1 } } },
    ["spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: "101%" } } },
    ['spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%'],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: "abc" } } },
    [
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: \"abc\": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')",
      "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
    ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: "0%", maxSurge: "0%" } } },
    ["spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0"],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxSurge: -1 } } },
    [
      "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: must be greater than or equal to 0",
      "spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: -1: may not be set when maxUnavailable is non-zero",
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { maxSurge: "200%" } } },
    [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "200%": must not be greater than 100%',
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: "200%": may not be set when maxUnavailable is non-zero',
    ],
  ],
  [{ updateStrategy: { rollingUpdate: { maxUnavailable: "50%", maxSurge: 0 } } }, []],
  [
    { updateStrategy: { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
    ["spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero"],
  ],
  [{ updateStrategy: { rollingUpdate: { maxUnavailable: 0, maxSurge: "10%" } } }, []],
];

const STATEFUL_SET_ROWS: readonly CreateRow[] = [
  [
    { revisionHistoryLimit: -1 },
    [],
    ["spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended"],
  ],
  [
    { podManagementPolicy: "Chaos" },
    ["spec.podManagementPolicy: Invalid value: \"Chaos\": must be 'OrderedReady' or 'Parallel'"],
  ],
  [{ podManagementPolicy: "Parallel" }, []],
  [{ updateStrategy: { type: "OnDelete" } }, []],
  [
    { updateStrategy: { type: "OnDelete", rollingUpdate: { partition: 1 } } },
    [
      'spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,"MaxUnavailable":null}: only allowed for updateStrategy \'RollingUpdate\'',
    ],
  ],
  [
    { updateStrategy: { type: "Blue" } },
    [
      'spec.updateStrategy: Invalid value: {"Type":"Blue","RollingUpdate":null}: must be \'RollingUpdate\' or \'OnDelete\'',
    ],
  ],
  [
    { updateStrategy: { rollingUpdate: { partition: -1 } } },
    ["spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ updateStrategy: { type: "RollingUpdate" } }, []],
  [
    { serviceName: "S" },
    [
      "spec.serviceName: Invalid value: \"S\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
    ],
  ],
  [{ serviceName: "a.b" }, ['spec.serviceName: Invalid value: "a.b": must not contain dots']],
  [{ ordinals: { start: -1 } }, ["spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0"]],
  [{ ordinals: { start: 3 } }, []],
  [
    { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Keep" } },
    [
      'spec.persistentVolumeClaimRetentionPolicy.whenDeleted: Unsupported value: "Keep": supported values: "Retain", "Delete"',
    ],
  ],
  [{ persistentVolumeClaimRetentionPolicy: { whenScaled: "Delete" } }, []],
  [
    { volumeClaimTemplates: [{ metadata: { name: "d" }, spec: {} }] },
    [
      "spec.volumeClaimTemplates[0].spec.accessModes: Required value: at least 1 access mode is required",
      "spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
    ],
  ],
  [
    {
      volumeClaimTemplates: [
        {
          metadata: { name: "d" },
          spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
        },
      ],
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i", volumeMounts: [{ name: "d", mountPath: "/d" }] }] },
      },
    },
    [],
  ],
  [
    {
      volumeClaimTemplates: [
        { metadata: { name: "d" }, spec: { accessModes: ["X"], resources: { requests: { storage: "-1Gi" } } } },
      ],
    },
    [
      'spec.volumeClaimTemplates[0].spec.accessModes: Unsupported value: "X": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.volumeClaimTemplates[0].spec.resources[storage]: Invalid value: "-1Gi": must be greater than zero',
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { app: "x" } },
        spec: { containers: [{ name: "c", image: "i" }], hostname: "A!" },
      },
    },
    [],
  ],
];

const REPLICATION_CONTROLLER_ROWS: readonly CreateRow[] = [
  [
    { selector: { app: "y" } },
    ['spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`'],
  ],
  [{ template: null }, ["spec.template: Required value"]],
];

const POD_TEMPLATE_ROWS: readonly CreateRow[] = [
  [
    { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" } },
    [],
  ],
  [
    { metadata: { labels: { app: "x" } }, spec: { containers: [{ name: "c", image: "i" }], activeDeadlineSeconds: 5 } },
    [],
  ],
];

describe.each([
  ["deployment", DEPLOYMENT_ROWS],
  ["daemonSet", DAEMON_SET_ROWS],
  ["statefulSet", STATEFUL_SET_ROWS],
  ["replicationController", REPLICATION_CONTROLLER_ROWS],
  ["podTemplate", POD_TEMPLATE_ROWS],
] as const)("validation of a new %s by the rules of its kind alone", (kind, rows) => {
  it.each(rows.map((row) => [rowName(row[0]), row] as const))(
    "returns kube-apiserver's errors for: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create(kind, fields)).toEqual({ errors, warnings });
    },
  );
});
