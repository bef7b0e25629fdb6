import { describe, expect, it } from "vitest";
import type { Fields } from "../../../src/machinery/meta/access.js";
import { change, type ChangeRow, rowName } from "./workload-kinds.js";

const T1 = "2026-01-01T00:00:00Z";
const T2 = "2026-01-01T00:00:01Z";

const conditions = (...types: readonly string[]): Fields => ({
  conditions: types.map((type) => ({ type, status: "True" })),
});

const STARTED = { startTime: T1 };
const COMPLETE = { ...STARTED, completionTime: T2, ...conditions("SuccessCriteriaMet", "Complete") };
const FAILED = { ...STARTED, ...conditions("FailureTarget", "Failed") };
const INDEXED = { spec: { completionMode: "Indexed", completions: 5, parallelism: 2 } };
const LIMITED = { spec: { ...INDEXED.spec, backoffLimitPerIndex: 1 } };
const refused = (detail: string) => `status.conditions: Invalid value: ${detail}`;

const COUNTERS = ["active", "succeeded", "failed", "ready", "terminating"];
/** One side more is wrong where that counter is negative. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  active: ["status.ready: Invalid value: 0: cannot set more ready pods than active"],
  failed: ["status.failed: Invalid value: -1: cannot decrease the failed counter"],
  succeeded: ["status.succeeded: Invalid value: -1: cannot decrease the succeeded counter"],
};

const END_ROWS: readonly ChangeRow[] = [
  [STARTED, COMPLETE, []],
  [STARTED, FAILED, []],
  [{}, STARTED, []],
  [
    STARTED,
    { ...COMPLETE, ...conditions("SuccessCriteriaMet", "Complete", "FailureTarget", "Failed") },
    [
      refused("cannot set Complete=True and Failed=true conditions"),
      refused("cannot set Complete=True and FailureTarget=true conditions"),
      refused("cannot set SuccessCriteriaMet=True and Failed=true conditions"),
      refused("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"),
    ],
  ],
  [
    STARTED,
    { ...STARTED, completionTime: T2 },
    [
      'status.completionTime: Invalid value: "2026-01-01T00:00:01Z": cannot set completionTime when there is no Complete=True condition',
    ],
  ],
  [
    STARTED,
    { ...STARTED, ...conditions("SuccessCriteriaMet", "Complete") },
    ["status.completionTime: Required value: completionTime is required for Complete jobs"],
  ],
  [
    { startTime: T2 },
    { ...COMPLETE, startTime: T2, completionTime: T1 },
    ['status.completionTime: Invalid value: "2026-01-01T00:00:00Z": completionTime cannot be set before startTime'],
  ],
  [
    STARTED,
    { ...STARTED, ...conditions("Failed") },
    [refused("cannot set Failed=True condition without the FailureTarget=true condition")],
  ],
  [
    STARTED,
    { ...COMPLETE, ...conditions("Complete") },
    [refused("cannot set Complete=True condition without the SuccessCriteriaMet=true condition")],
  ],
  // What was wrong before and is left alone is let be.
  [{ ...STARTED, ...conditions("Failed") }, { ...STARTED, ...conditions("Failed"), failed: 1 }, []],
  [{ ...COMPLETE, ...conditions("Complete") }, { ...COMPLETE, ...conditions("Complete"), succeeded: 1 }, []],
  // A condition that is not True is none.
  [STARTED, { ...STARTED, conditions: [{ type: "Failed", status: "False" }] }, []],
];

const FINISHED_ROWS: readonly ChangeRow[] = [
  [STARTED, { ...COMPLETE, active: 1 }, ["status.active: Invalid value: 1: active>0 is invalid for finished job"]],
  [COMPLETE, { ...COMPLETE, active: 2 }, ["status.active: Invalid value: 2: active>0 is invalid for finished job"]],
  [{ ...COMPLETE, active: 2 }, { ...COMPLETE, active: 2, succeeded: 1 }, []],
  [{}, { ...FAILED, startTime: null }, ["status.startTime: Required value: startTime is required for finished job"]],
  [
    { spec: { suspend: true, completions: 0 } },
    { spec: { suspend: true, completions: 0 }, completionTime: T2, ...conditions("SuccessCriteriaMet", "Complete") },
    [],
  ],
  [
    STARTED,
    { ...FAILED, uncountedTerminatedPods: { failed: ["a"] } },
    [
      'status.uncountedTerminatedPods: Invalid value: {"Succeeded":null,"Failed":["a"]}: uncountedTerminatedPods needs to be empty for finished job',
    ],
  ],
  [STARTED, { ...FAILED, uncountedTerminatedPods: {} }, []],
  [
    STARTED,
    { ...FAILED, terminating: 1 },
    ["status.terminating: Invalid value: 1: terminating>0 is invalid for finished job"],
  ],
  [STARTED, { ...STARTED, terminating: 1 }, []],
];

const POD_ROWS: readonly ChangeRow[] = [
  [{}, { uncountedTerminatedPods: { succeeded: ["a"], failed: ["b"] } }, []],
  [
    {},
    { uncountedTerminatedPods: { succeeded: ["a", "", "a"], failed: ["a", ""] } },
    [
      'status.uncountedTerminatedPods.succeeded[1]: Invalid value: "": must not be empty',
      'status.uncountedTerminatedPods.succeeded[2]: Duplicate value: "a"',
      'status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"',
      'status.uncountedTerminatedPods.failed[1]: Invalid value: "": must not be empty',
    ],
  ],
  [{}, { active: 2, ready: 2 }, []],
  [{}, { active: 1, ready: 2 }, ["status.ready: Invalid value: 2: cannot set more ready pods than active"]],
  [{ active: 1, ready: 2 }, { active: 1, ready: 2, failed: 1 }, []],
];

const INDEX_ROWS: readonly ChangeRow[] = [
  [INDEXED, { ...INDEXED, completedIndexes: "0,2-4" }, []],
  [LIMITED, { ...LIMITED, completedIndexes: "0", failedIndexes: "1-2" }, []],
  [
    INDEXED,
    { ...INDEXED, completedIndexes: "0,5" },
    ['status.completedIndexes: Invalid value: "0,5": error parsing completedIndexes: too large index: "5"'],
  ],
  [
    INDEXED,
    { ...INDEXED, completedIndexes: "2,1" },
    [
      'status.completedIndexes: Invalid value: "2,1": error parsing completedIndexes: non-increasing order, previous: 2, current: 1',
    ],
  ],
  [
    LIMITED,
    { ...LIMITED, failedIndexes: "a" },
    [
      'status.failedIndexes: Invalid value: "a": error parsing failedIndexes: cannot convert string to integer for index: "a"',
    ],
  ],
  [
    {},
    { completedIndexes: "0" },
    [
      'status.completedIndexes: Invalid value: "0": cannot set non-empty completedIndexes when non-indexed completion mode',
    ],
  ],
  [
    INDEXED,
    { ...INDEXED, failedIndexes: "" },
    ['status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null'],
  ],
  [
    LIMITED,
    { ...LIMITED, completedIndexes: "0-2", failedIndexes: "1,3" },
    ['status.failedIndexes: Invalid value: "1,3": failedIndexes and completedIndexes overlap at index: 1'],
  ],
  [
    LIMITED,
    { ...LIMITED, completedIndexes: "0,4", failedIndexes: "1,3-4" },
    ['status.failedIndexes: Invalid value: "1,3-4": failedIndexes and completedIndexes overlap at index: 4'],
  ],
  // The job was made smaller since.
  [{ ...INDEXED, completedIndexes: "7" }, { ...INDEXED, completedIndexes: "7", failed: 1 }, []],
];

const POLICY = { spec: { ...INDEXED.spec, successPolicy: { rules: [{ succeededCount: 1 }] } } };

const PROGRESS_ROWS: readonly ChangeRow[] = [
  ...(["Failed", "FailureTarget"] as const).map((end): ChangeRow => {
    const left = end === "Failed" ? "FailureTarget" : "Failed";
    return [
      FAILED,
      { ...STARTED, ...conditions(left) },
      [refused(`cannot disable the terminal ${end}=True condition`)],
    ];
  }),
  [
    COMPLETE,
    { ...STARTED, ...conditions("SuccessCriteriaMet") },
    [refused("cannot disable the terminal Complete=True condition")],
  ],
  [{ failed: 2 }, { failed: 1 }, ["status.failed: Invalid value: 1: cannot decrease the failed counter"]],
  [{ failed: 2 }, {}, ["status.failed: Invalid value: 0: cannot decrease the failed counter"]],
  [{ succeeded: 2 }, { succeeded: 1 }, ["status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"]],
  [
    { ...INDEXED, succeeded: 2 },
    { ...INDEXED, succeeded: 1 },
    ["status.succeeded: Invalid value: 1: cannot decrease the succeeded counter"],
  ],
  [
    { spec: { completionMode: "Indexed", completions: 2, parallelism: 2 }, succeeded: 2 },
    { spec: { completionMode: "Indexed", completions: 2, parallelism: 2 }, succeeded: 1 },
    [],
  ],
  [
    COMPLETE,
    { ...COMPLETE, completionTime: "2026-01-01T00:00:02Z" },
    ['status.completionTime: Invalid value: "2026-01-01T00:00:02Z": completionTime cannot be mutated'],
  ],
  [STARTED, {}, ["status.startTime: Required value: startTime cannot be removed for unsuspended job"]],
  [STARTED, { startTime: T2 }, ["status.startTime: Required value: startTime cannot be removed for unsuspended job"]],
  [{ ...STARTED, spec: { suspend: true } }, { spec: { suspend: true } }, []],
  [{ ...STARTED, ...conditions("Suspended") }, { startTime: T2 }, []],
  [
    { ...STARTED, ...conditions("SuccessCriteriaMet") },
    STARTED,
    [refused("cannot disable the SuccessCriteriaMet=True condition")],
  ],
  [
    { ...COMPLETE, ...conditions("Complete") },
    COMPLETE,
    [refused("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")],
  ],
  [
    { ...POLICY, ...STARTED },
    { ...POLICY, ...COMPLETE, ...conditions("Complete") },
    [
      refused("cannot set Complete=True condition without the SuccessCriteriaMet=true condition"),
      refused("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True"),
    ],
  ],
  [{ ...POLICY, ...STARTED }, { ...POLICY, ...COMPLETE }, []],
];

describe("validation of a Job's status", () => {
  it.each(COUNTERS)("refuses a negative count of %s", (field) => {
    const error = `status.${field}: Invalid value: -1: must be greater than or equal to 0`;
    expect(change("jobStatus", {}, { ready: 0, [field]: -1 })).toEqual([error, ...(ALSO[field] ?? [])]);
  });

  describe.each([
    ["how it ends", END_ROWS],
    ["once it has ended", FINISHED_ROWS],
    ["pods", POD_ROWS],
    ["indexes", INDEX_ROWS],
    ["what was said", PROGRESS_ROWS],
  ] as const)("for a change of %s", (_, rows) => {
    it.each(rows.map((row) => [rowName(row[0], row[1]), row] as const))(
      "returns kube-apiserver's errors for: %s",
      (__, [old, changed, errors]) => {
        expect(change("jobStatus", old, changed)).toEqual(errors);
      },
    );
  });
});
