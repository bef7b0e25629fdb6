import { v37 } from "../../helpers/server-traits.js";
import { describe, expect, test } from "vitest";
import { schemaFor } from "../../../src/api/facts/index.js";
import { validateAddedTolerations } from "../../../src/api/validation/pod/tolerations.js";
import { repeatedAt } from "../../../src/api/validation/rules.js";
import { optionsOfChange } from "../../../src/api/validation/pod/pod-options.js";
import { unifiedDiff } from "../../../src/api/validation/unified-diff.js";
import { append } from "../../../src/base/collections/append.js";
import { atOnce } from "../../../src/base/async/steps.js";
import { sorted, sortedSteps } from "../../../src/machinery/apply/field-set.js";
import { missingSteps } from "../../../src/machinery/rbac/covers.js";
import { readRules } from "../../../src/machinery/rbac/policy-rule.js";
import type { FieldError } from "../../../src/machinery/errors/field-error.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { applyJsonPatch } from "../../../src/machinery/patch/json-patch.js";
import { deduplicate, sortByOrder } from "../../../src/machinery/patch/merge-lists.js";
import { strategicMergePatch } from "../../../src/machinery/patch/strategic-merge.js";
import { fromSchema } from "../../../src/machinery/patch/strategic-schema.js";

// Each row has a size at which work that grows with the square of it takes minutes, so that the test's time is over. None asserts a
// time: what grows with the size alone takes parts of a second.

const range = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

function podSchema() {
  const schema = schemaFor({ group: "", version: "v1", kind: "Pod" });
  if (schema === undefined) throw new Error("no schema for Pod");
  return fromSchema(schema);
}

const podOf = (env: JsonObject[]): JsonObject => ({ spec: { containers: [{ name: "c", env }] } });
const toleration = (at: number) => ({ key: `k${at}`, operator: "Exists" as const });

/** Each row makes its input of a size, and answers the work on it. */
const SHAPES: readonly (readonly [what: string, size: number, prepare: (size: number) => () => unknown])[] = [
  [
    "a strategic patch that deletes each element",
    60_000,
    (size) => {
      const live = podOf(range(size, (at) => ({ name: `v${at}` })));
      const patch = podOf(range(size, (at) => ({ name: `v${at}`, $patch: "delete" })));
      return () => strategicMergePatch(live, patch, podSchema());
    },
  ],
  [
    "a strategic patch of elements whose merge keys are no texts",
    60_000,
    (size) => {
      const list = range(size, () => ({ name: {} }));
      return () => sortByOrder(list, [], "name");
    },
  ],
  [
    "texts that a list has twice",
    60_000,
    (size) => {
      const list = [...range(size, (at) => `f${at}`), ...range(size, (at) => `f${size - at}`)];
      return () => deduplicate(list);
    },
  ],
  [
    "a JSON patch that copies into a wide object",
    10_000,
    (size) => {
      const wide = Object.fromEntries(range(size * 4, (at) => [`k${at}`, "v"]));
      const copies = range(size, (at) => ({ op: "copy", from: "/small", path: `/wide/n${at}` }));
      return () => applyJsonPatch({ small: { a: 1 }, wide }, copies);
    },
  ],
  [
    "a pod's tolerations",
    20_000,
    (size) => {
      const [before, now] = [range(size, toleration), range(size, (at) => toleration(size - 1 - at))];
      return () => {
        const errors: FieldError[] = [];
        validateAddedTolerations(now, before, "spec.tolerations", optionsOfChange({}, true, v37), errors);
        return errors;
      };
    },
  ],
  [
    "values that a list has before",
    200_000,
    (size) => {
      const values = range(size, (at) => `value ${at}`);
      return () => repeatedAt(values);
    },
  ],
  [
    "the difference of texts whose lines changed places",
    100_000,
    (size) => {
      const lines = range(size, (at) => `line ${at}`);
      const swapped = range(size, (at) => `line ${at ^ 1}`);
      return () => unifiedDiff(lines, swapped);
    },
  ],
];

describe("patches take time in proportion to their input", () => {
  test.each(SHAPES)("for %s", (_what, size, prepare) => {
    expect(prepare(size)()).toBeDefined();
  });
});

test("comparing RBAC rules takes steps in proportion to their names, not to the product of their lists", () => {
  const steps = (size: number): number => {
    const names = (prefix: string) => range(size, (at) => `${prefix}${at}`);
    const rules = readRules([{ verbs: names("v"), apiGroups: names("g"), resources: names("r") }]);
    const held = readRules(range(50, (at) => ({ verbs: ["get"], apiGroups: [`g${at}`], resources: ["*"] })));
    const work = missingSteps(held, rules, 100);
    for (let count = 0; ; count++) {
      const step = work.next();
      if (step.done !== true) continue;
      expect(step.value.count).toBe(size ** 3);
      expect(step.value.listed).toHaveLength(100);
      return count;
    }
  };
  expect(steps(400)).toBeLessThan(2.2 * Math.max(steps(200), 100));
});

test("append() adds more items than a function call may have arguments", () => {
  const list: number[] = [];
  append(
    list,
    range(300_000, () => 1),
    [2],
  );
  expect(list).toHaveLength(300_001);
});

test("sorting a set of field paths in slices has the same result as at once", () => {
  const set = { "f:b": { 'k:{"n":2}': {}, ".": {}, 'k:{"n":10}': {} }, "f:a": {}, 'v:"x"': {}, "v:1": {}, "i:0": {} };
  expect(JSON.stringify(atOnce(sortedSteps(set)))).toBe(JSON.stringify(sorted(set)));
});
