import { describe, expect, it } from "vitest";
import { create, type CreateRow, moved, rowName } from "./workload-kinds.js";

/** Rules of a job's spec wherever it stands; their paths are those of a Job. */
const SPEC_RULES: readonly CreateRow[] = [
  [{}, []],
  [{ parallelism: -1 }, ["spec.parallelism: Invalid value: -1: must be greater than or equal to 0"]],
  [{ completions: -1 }, ["spec.completions: Invalid value: -1: must be greater than or equal to 0"]],
  [
    { activeDeadlineSeconds: -1 },
    ["spec.activeDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ backoffLimit: -1 }, ["spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0"]],
  [
    { ttlSecondsAfterFinished: -1 },
    ["spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { backoffLimitPerIndex: -1 },
    [
      "spec.backoffLimitPerIndex: Invalid value: -1: must be greater than or equal to 0",
      "spec.backoffLimitPerIndex: Invalid value: -1: requires indexed completion mode",
    ],
  ],
  [
    { maxFailedIndexes: 1 },
    [
      "spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified",
      "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
    ],
  ],
  [{ managedBy: "" }, ["spec.managedBy: Required value"]],
  [{ managedBy: "x" }, ['spec.managedBy: Invalid value: "x": must be a domain-prefixed path (such as "acme.io/foo")']],
  [{ managedBy: "example.com/x" }, []],
  [
    { managedBy: "Ex.com/x y" },
    [
      "spec.managedBy: Invalid value: \"Ex.com\": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')",
      "spec.managedBy: Invalid value: \"x y\": Invalid path (regex used for validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
    ],
  ],
  [
    { managedBy: "example.com/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" },
    ["spec.managedBy: Too long: may not be more than 63 bytes"],
  ],
  [
    { completionMode: "Odd" },
    ['spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"'],
  ],
  [{ completionMode: "Indexed", completions: 3 }, []],
  [
    { completionMode: "Indexed", completions: 3, parallelism: 100001 },
    ["spec.parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed"],
  ],
  [
    { completionMode: "Indexed", parallelism: 1 },
    ["spec.completions: Required value: when completion mode is Indexed"],
  ],
  [
    { completionMode: "Indexed", completions: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
    ["spec.maxFailedIndexes: Invalid value: 4: must be less than or equal to completions"],
  ],
  [
    { completionMode: "Indexed", completions: 200000, backoffLimitPerIndex: 1 },
    ["spec.maxFailedIndexes: Required value: must be specified when completions is above 100000"],
  ],
  [
    {
      completionMode: "Indexed",
      completions: 200000,
      backoffLimitPerIndex: 1,
      maxFailedIndexes: 20000,
      parallelism: 20000,
    },
    [
      "spec.parallelism: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
      "spec.maxFailedIndexes: Invalid value: 20000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
    ],
    [
      "spec: In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail",
    ],
  ],
  [
    { completionMode: "Indexed", completions: 200000, backoffLimitPerIndex: 1, maxFailedIndexes: 150000 },
    [
      "spec.maxFailedIndexes: Invalid value: 150000: must be less than or equal to 100000",
      "spec.maxFailedIndexes: Invalid value: 150000: must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index",
    ],
  ],
  [
    { backoffLimitPerIndex: 1, maxFailedIndexes: 1 },
    [
      "spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode",
      "spec.maxFailedIndexes: Invalid value: 1: requires indexed completion mode",
    ],
  ],
  [
    { podFailurePolicy: { rules: [{}] } },
    [
      'spec.podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
      "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required",
    ],
  ],
  [
    { podFailurePolicy: { rules: [{ action: "Nope", onPodConditions: [{ type: "X" }] }] } },
    [
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Nope": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
    ],
  ],
  [
    { podFailurePolicy: { rules: [{ action: "FailIndex", onPodConditions: [{ type: "X" }] }] } },
    ['spec.podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set'],
  ],
  [{ podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] } }, []],
  [
    { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [0] } }] } },
    ["spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator"],
  ],
  [
    { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [] } }] } },
    ["spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is required"],
  ],
  [
    { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [2, 1, 1] } }] } },
    [
      "spec.podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 1",
      "spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1,1]: must be ordered",
    ],
  ],
  [
    { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "Eq", values: [1] } }] } },
    ['spec.podFailurePolicy.rules[0].onExitCodes.operator: Unsupported value: "Eq": supported values: "In", "NotIn"'],
  ],
  [
    { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { values: [1] } }] } },
    ['spec.podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]'],
  ],
  [
    {
      podFailurePolicy: {
        rules: [{ action: "Ignore", onExitCodes: { containerName: "z", operator: "NotIn", values: [1] } }],
      },
    },
    [
      'spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: "z": must be one of the container or initContainer names in the pod template',
    ],
  ],
  [
    {
      podFailurePolicy: {
        rules: [{ action: "Count", onExitCodes: { operator: "In", values: [1] }, onPodConditions: [{ type: "X" }] }],
      },
    },
    ["spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported"],
  ],
  [
    { podFailurePolicy: { rules: [{ action: "Count", onPodConditions: [{ type: "a b", status: "Maybe" }] }] } },
    [
      "spec.podFailurePolicy.rules[0].onPodConditions[0].type: Invalid value: \"a b\": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
      'spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"',
    ],
  ],
  [
    {
      podFailurePolicy: {
        rules: [
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
          { action: "Count", onPodConditions: [{ type: "X" }] },
        ],
      },
    },
    ["spec.podFailurePolicy.rules: Too many: 21: must have at most 20 items"],
  ],
  [
    {
      podFailurePolicy: { rules: [{ action: "Count", onPodConditions: [{ type: "X" }] }] },
      template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "OnFailure" } },
    },
    [
      'spec.template.spec.restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified',
    ],
  ],
  [
    {
      podFailurePolicy: { rules: [{ action: "Count", onPodConditions: [{ type: "X" }] }] },
      podReplacementPolicy: "TerminatingOrFailed",
    },
    ['spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
  ],
  [
    { podReplacementPolicy: "X" },
    ['spec.podReplacementPolicy: Unsupported value: "X": supported values: "Failed", "TerminatingOrFailed"'],
  ],
  [{ podReplacementPolicy: "Failed" }, []],
  [
    { successPolicy: { rules: [{ succeededCount: 1 }] } },
    [
      'spec.successPolicy: Invalid value: {"Rules":[{"SucceededIndexes":null,"SucceededCount":1}]}: requires indexed completion mode',
    ],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [] } },
    [
      "spec.successPolicy.rules: Required value: at least one rules must be specified when the successPolicy is specified",
    ],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{}] } },
    [
      "spec.successPolicy.rules[0]: Required value: at least one of succeededCount or succeededIndexes must be specified",
    ],
  ],
  [{ completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededCount: 1 }] } }, []],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededCount: -1 }] } },
    ["spec.successPolicy.rules[0].succeededCount: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededCount: 9 }] } },
    [
      "spec.successPolicy.rules[0].succeededCount: Invalid value: 9: must be less than or equal to 4 (the number of specified completions)",
    ],
  ],
  [{ completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededIndexes: "0-1" }] } }, []],
  [
    {
      completionMode: "Indexed",
      completions: 4,
      successPolicy: { rules: [{ succeededIndexes: "0-1", succeededCount: 3 }] },
    },
    [
      "spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to 2 (the number of indexes in the specified succeededIndexes field)",
    ],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededIndexes: "1-0" }] } },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "1-0": error parsing succeededIndexes: non-increasing order, previous: 1, current: 0',
    ],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededIndexes: "a" }] } },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "a": error parsing succeededIndexes: cannot convert string to integer for index: "a"',
    ],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededIndexes: "5" }] } },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "5": error parsing succeededIndexes: too large index: "5"',
    ],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededIndexes: "0-1-2" }] } },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "0-1-2": error parsing succeededIndexes: the fragment "0-1-2" violates the requirement that an index interval can have at most two parts separated by \'-\'',
    ],
  ],
  [
    { completionMode: "Indexed", completions: 4, successPolicy: { rules: [{ succeededIndexes: "2,1" }] } },
    [
      'spec.successPolicy.rules[0].succeededIndexes: Invalid value: "2,1": error parsing succeededIndexes: non-increasing order, previous: 2, current: 1',
    ],
  ],
  [
    { template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Always" } } },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [
    { template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: null } } },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  [{ template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "OnFailure" } } }, []],
  [
    { template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "X" } } },
    [
      'spec.template.spec.restartPolicy: Unsupported value: "X": supported values: "Always", "OnFailure", "Never"',
      'spec.template.spec.restartPolicy: Unsupported value: "X": supported values: "OnFailure", "Never"',
    ],
  ],
  [
    { template: { spec: { containers: [], restartPolicy: "Never" } } },
    ["spec.template.spec.containers: Required value"],
  ],
  [
    {
      template: { spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never", activeDeadlineSeconds: 5 } },
    },
    [],
  ],
  [{ suspend: true }, []],
];

/** What only a Job has: a selector of its own, made when it is made, and completions that are one by default. */
const JOB_ROWS: readonly CreateRow[] = [
  [{ completionMode: "Indexed" }, []],
  [
    { manualSelector: true },
    [
      "spec.selector: Required value",
      "spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`",
    ],
  ],
  [
    {
      manualSelector: true,
      selector: { matchLabels: { a: "b" } },
      template: {
        metadata: { labels: { a: "b" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    [],
  ],
  [
    { manualSelector: true, selector: { matchLabels: { a: "b" } } },
    ["spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`"],
  ],
  [
    { selector: { matchLabels: { a: "b" } } },
    [
      'spec.selector: Invalid value: {"matchLabels":{"a":"b","batch.kubernetes.io/controller-uid":"u1"}}: `selector` not auto-generated',
      'spec.template.metadata.labels: Invalid value: {"batch.kubernetes.io/controller-uid":"u1","batch.kubernetes.io/job-name":"x","controller-uid":"u1","job-name":"x"}: `selector` does not match template `labels`',
    ],
  ],
  [
    {
      template: {
        metadata: { labels: { "controller-uid": "other" } },
        spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Never" },
      },
    },
    [
      'spec.template.metadata.labels[controller-uid]: Invalid value: {"batch.kubernetes.io/controller-uid":"u1","batch.kubernetes.io/job-name":"x","controller-uid":"other","job-name":"x"}: must be \'u1\'',
    ],
  ],
];

/** A CronJob's jobs get their selectors later. */
const CRON_JOB_TEMPLATE_ROWS: readonly CreateRow[] = [
  [
    { completionMode: "Indexed" },
    ["spec.jobTemplate.spec.completions: Required value: when completion mode is Indexed"],
  ],
  [
    { selector: { matchLabels: { a: "b" } } },
    ['spec.jobTemplate.spec.selector: Invalid value: {"matchLabels":{"a":"b"}}: `selector` will be auto-generated'],
  ],
  [
    { manualSelector: true },
    ['spec.jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"'],
  ],
];

const CRON_JOB_ROWS: readonly CreateRow[] = [
  [{ schedule: "" }, ["spec.schedule: Required value"]],
  [{ schedule: "* * * * *" }, []],
  [{ schedule: "*/5 * * * *" }, []],
  [{ schedule: "0 0 1 1 *" }, []],
  [{ schedule: "* *" }, ['spec.schedule: Invalid value: "* *": expected exactly 5 fields, found 2: [* *]']],
  [
    { schedule: "60 * * * *" },
    ['spec.schedule: Invalid value: "60 * * * *": end of range (60) above maximum (59): 60'],
  ],
  [
    { schedule: "* 24 * * *" },
    ['spec.schedule: Invalid value: "* 24 * * *": end of range (24) above maximum (23): 24'],
  ],
  [
    { schedule: "* * 0 * *" },
    ['spec.schedule: Invalid value: "* * 0 * *": beginning of range (0) below minimum (1): 0'],
  ],
  [
    { schedule: "* * 32 * *" },
    ['spec.schedule: Invalid value: "* * 32 * *": end of range (32) above maximum (31): 32'],
  ],
  [
    { schedule: "* * * 13 *" },
    ['spec.schedule: Invalid value: "* * * 13 *": end of range (13) above maximum (12): 13'],
  ],
  [{ schedule: "* * * jan mon" }, []],
  [{ schedule: "* * * * 7" }, ['spec.schedule: Invalid value: "* * * * 7": end of range (7) above maximum (6): 7']],
  [
    { schedule: "a * * * *" },
    [
      'spec.schedule: Invalid value: "a * * * *": failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax',
    ],
  ],
  [{ schedule: "1-2-3 * * * *" }, ['spec.schedule: Invalid value: "1-2-3 * * * *": too many hyphens: 1-2-3']],
  [{ schedule: "1/2/3 * * * *" }, ['spec.schedule: Invalid value: "1/2/3 * * * *": too many slashes: 1/2/3']],
  [
    { schedule: "5-1 * * * *" },
    ['spec.schedule: Invalid value: "5-1 * * * *": beginning of range (5) beyond end of range (1): 5-1'],
  ],
  [
    { schedule: "*/0 * * * *" },
    ['spec.schedule: Invalid value: "*/0 * * * *": step of range should be a positive number: */0'],
  ],
  [
    { schedule: "-1 * * * *" },
    ['spec.schedule: Invalid value: "-1 * * * *": failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
  ],
  [{ schedule: "1,2,3 * * * *" }, []],
  [{ schedule: "? * * * *" }, []],
  [{ schedule: "@hourly" }, []],
  [{ schedule: "@daily" }, []],
  [{ schedule: "@reboot" }, ['spec.schedule: Invalid value: "@reboot": unrecognized descriptor: @reboot']],
  [{ schedule: "@every 1h" }, []],
  [
    { schedule: "@every 5x" },
    [
      'spec.schedule: Invalid value: "@every 5x": failed to parse duration @every 5x: time: unknown unit "x" in duration "5x"',
    ],
  ],
  [
    { schedule: "@every 5" },
    ['spec.schedule: Invalid value: "@every 5": failed to parse duration @every 5: time: missing unit in duration "5"'],
  ],
  [
    { schedule: "TZ=UTC * * * * *" },
    [
      'spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    { schedule: "CRON_TZ=Nope/X * * * * *" },
    [
      'spec.schedule: Invalid value: "CRON_TZ=Nope/X * * * * *": provided bad location Nope/X: unknown time zone Nope/X',
      'spec.schedule: Invalid value: "CRON_TZ=Nope/X * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    { schedule: "TZ=UTC" },
    [
      'spec.schedule: Invalid value: "TZ=UTC": invalid schedule format: runtime error: slice bounds out of range [:-1]',
      'spec.schedule: Invalid value: "TZ=UTC": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    { schedule: "1-70 * * * *" },
    ['spec.schedule: Invalid value: "1-70 * * * *": end of range (70) above maximum (59): 1-70'],
  ],
  [
    { schedule: "*/x * * * *" },
    [
      'spec.schedule: Invalid value: "*/x * * * *": failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
    ],
  ],
  [
    { schedule: "* * * foo *" },
    [
      'spec.schedule: Invalid value: "* * * foo *": failed to parse int from foo: strconv.Atoi: parsing "foo": invalid syntax',
    ],
  ],
  [{ schedule: " * * * * * " }, []],
  [{ timeZone: "" }, ['spec.timeZone: Invalid value: "": timeZone must be nil or non-empty string']],
  [{ timeZone: "Europe/Berlin" }, []],
  [{ timeZone: "Nope/Zone" }, ['spec.timeZone: Invalid value: "Nope/Zone": unknown time zone Nope/Zone']],
  [
    { timeZone: "Local" },
    [
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
    ],
  ],
  [
    { timeZone: "local" },
    [
      'spec.timeZone: Invalid value: "local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
      'spec.timeZone: Invalid value: "local": unknown time zone local',
    ],
  ],
  [{ timeZone: "../x" }, ['spec.timeZone: Invalid value: "../x": unknown time zone ../x']],
  [{ timeZone: "UTC" }, []],
  [{ timeZone: "Etc/GMT+1" }, []],
  [{ timeZone: "+01:00" }, ['spec.timeZone: Invalid value: "+01:00": unknown time zone +01:00']],
  [
    { concurrencyPolicy: "X" },
    ['spec.concurrencyPolicy: Unsupported value: "X": supported values: "Allow", "Forbid", "Replace"'],
  ],
  [{ concurrencyPolicy: "Forbid" }, []],
  [
    { startingDeadlineSeconds: -1 },
    ["spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { successfulJobsHistoryLimit: -1 },
    ["spec.successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [
    { failedJobsHistoryLimit: -1 },
    ["spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0"],
  ],
  [{ failedJobsHistoryLimit: 0 }, []],
];

const named = (rows: readonly CreateRow[]) => rows.map((row) => [rowName(row[0]), row] as const);

describe.each([
  ["a Job's spec", "job", "spec", JOB_ROWS],
  ["a CronJob's job", "cronJobTemplate", "spec.jobTemplate.spec", CRON_JOB_TEMPLATE_ROWS],
] as const)("validation of %s", (_, kind, path, own) => {
  it.each(named(SPEC_RULES))("applies the rules of all jobs: %s", (__, [fields, errors, warnings = []]) => {
    const expected = { errors: moved(errors, "spec", path), warnings: moved(warnings, "spec", path) };
    expect(create(kind, fields)).toEqual(expected);
  });
  it.each(named(own))("applies the rules of this kind of job alone: %s", (__, [fields, errors, warnings = []]) => {
    expect(create(kind, fields)).toEqual({ errors, warnings });
  });
});

describe("validation of a CronJob", () => {
  it.each(named(CRON_JOB_ROWS))(
    "returns kube-apiserver's errors for the spec: %s",
    (_, [fields, errors, warnings = []]) => {
      expect(create("cronJob", fields)).toEqual({ errors, warnings });
    },
  );
});
