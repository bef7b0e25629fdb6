import { expect, test } from "vitest";
import type { Steps } from "../../src/base/async/steps.js";
import { difference, equal, intersection, paths, sortedSteps, union } from "../../src/machinery/apply/field-set.js";
import { parseFieldsV1 } from "../../src/machinery/apply/fields-v1.js";
import { encodeObjectSteps } from "../../src/machinery/wire/encode-steps.js";
import { decodeObjectSteps } from "../../src/machinery/wire/strict-decode.js";
import type { JsonObject, JsonValue } from "../../src/machinery/meta/json.js";
import { jsonPatchSteps } from "../../src/machinery/patch/json-patch.js";
import { mergePatchSteps } from "../../src/machinery/patch/merge-patch.js";
import { strategicMergeSteps } from "../../src/machinery/patch/strategic-merge.js";
import { fromSchema } from "../../src/machinery/patch/strategic-schema.js";
import { CorrelatedValue } from "../../src/machinery/structural/ratchet.js";
import { compileRules } from "../../src/machinery/structural/rules/validate-rules.js";
import { structuralSchemaOf } from "../../src/machinery/structural/structural-schema.js";
import { compileValueValidation } from "../../src/machinery/structural/validate-value.js";
import { CountedReads } from "../helpers/counted-reads.js";
import { CONFIG_MAP, fieldManagerOf, objectOf, POD, storedView, structOfKind } from "./apply/kinds.js";
import { array, integer, mapList, object, set, text } from "./structural/schemas.js";

// Work on what clients send grows with its size and no faster: twice the input, at most 2.2 times the steps. A step is a look at the
// input, a pause, or a unit of an expression's cost, all of which are the same on every machine.

/** The smaller input. Work that grows with its square takes four times the steps at twice this size. */
const SIZE = 120;
const MOST = 2.2;

/** Inputs of a size, whose reads are counted. */
type Prepare = (size: number) => readonly JsonValue[];
/** The work, in steps or at once. It answers the cost of an expression where it evaluates one. */
type Run = (...inputs: never[]) => unknown;
type Row = readonly [what: string, prepare: Prepare, run: Run];

const range = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));
const fields = (size: number, make: (at: number) => JsonValue, prefix = "k"): JsonObject =>
  Object.fromEntries(range(size, (at) => [`${prefix}${at}`, make(at)]));
const podOf = (spec: JsonObject, metadata: JsonObject = {}): JsonObject => objectOf(POD, { spec }, metadata);
const withEnv = (...env: JsonValue[]): JsonObject => podOf({ containers: [{ name: "c", env }] });
const variable = (at: number): JsonObject => ({ name: `v${at}`, value: "1" });
const podSchema = fromSchema(structOfKind(POD));
const reversed = <T>(items: readonly T[]): T[] => items.toReversed();

const MERGE: readonly Row[] = [
  ["changes each field", (size) => [fields(size, () => 1), fields(size, () => 2)], mergePatchSteps],
  ["removes each field", (size) => [fields(size, () => 1), fields(size, () => null)], mergePatchSteps],
  ["adds fields", (size) => [{}, fields(size, () => ({ a: { b: null, c: 1 } }))], mergePatchSteps],
  ["replaces a list", (size) => [{ a: range(size, variable) }, { a: range(size, variable) }], mergePatchSteps],
];

const operations = (size: number, make: (at: number) => JsonObject): JsonObject[] => range(size, make);
const JSON_PATCH: readonly Row[] = [
  [
    "adds fields to a wide object",
    (size) => [
      { a: fields(size, () => 1) },
      operations(size, (at) => ({ op: "add", path: `/a/n${at}`, value: { b: at } })),
    ],
    jsonPatchSteps,
  ],
  [
    "removes each field",
    (size) => [{ a: fields(size, () => 1) }, operations(size, (at) => ({ op: "remove", path: `/a/k${at}` }))],
    jsonPatchSteps,
  ],
  [
    "replaces each item",
    (size) => [
      { a: range(size, variable) },
      operations(size, (at) => ({ op: "replace", path: `/a/${at}/value`, value: "2" })),
    ],
    jsonPatchSteps,
  ],
  [
    "inserts at the front of a list",
    (size) => [{ a: range(size, variable) }, operations(size, (at) => ({ op: "add", path: "/a/0", value: at }))],
    jsonPatchSteps,
  ],
  [
    "copies fields",
    (size) => [
      { a: { b: 1 }, c: fields(size, () => 1) },
      operations(size, (at) => ({ op: "copy", from: "/a", path: `/c/n${at}` })),
    ],
    jsonPatchSteps,
  ],
  [
    "moves fields",
    (size) => [
      { a: fields(size, () => ({ b: 1 })), c: {} },
      operations(size, (at) => ({ op: "move", from: `/a/k${at}`, path: `/c/n${at}` })),
    ],
    jsonPatchSteps,
  ],
  [
    "tests each field",
    (size) => [{ a: fields(size, () => 1) }, operations(size, (at) => ({ op: "test", path: `/a/k${at}`, value: 1 }))],
    jsonPatchSteps,
  ],
];

const strategic = (live: JsonObject, patch: JsonObject): Steps<JsonObject> =>
  strategicMergeSteps(live, patch, podSchema);
const named = ({ name }: JsonObject): JsonObject => ({ name: name as JsonValue });
const STRATEGIC: readonly Row[] = [
  [
    "deletes each element",
    (size) => [
      withEnv(...range(size, variable)),
      withEnv(...range(size, (at) => ({ name: `v${at}`, $patch: "delete" }))),
    ],
    strategic,
  ],
  [
    "merges each element by its key, in another order",
    (size) => [withEnv(...range(size, variable)), withEnv(...reversed(range(size, variable)))],
    strategic,
  ],
  [
    "adds each element",
    (size) => [withEnv(...range(size, variable)), withEnv(...range(size, (at) => ({ name: `n${at}` })))],
    strategic,
  ],
  [
    "replaces a list",
    (size) => [withEnv(...range(size, variable)), withEnv(...range(size, variable), { $patch: "replace" })],
    strategic,
  ],
  [
    "orders a list of objects",
    (size) => [
      withEnv(...range(size, variable)),
      podOf({
        containers: [
          {
            name: "c",
            "$setElementOrder/env": reversed(range(size, variable)).map(named),
            env: reversed(range(size, variable)),
          },
        ],
      }),
    ],
    strategic,
  ],
  [
    "orders a list of texts",
    (size) => [
      podOf({}, { finalizers: range(size, (at) => `f${at}`) }),
      podOf(
        {},
        {
          "$setElementOrder/finalizers": reversed(range(size, (at) => `f${at}`)),
          finalizers: reversed(range(size, (at) => `f${at}`)),
        },
      ),
    ],
    strategic,
  ],
  [
    "deletes texts of a list",
    (size) => [
      podOf({}, { finalizers: range(size, (at) => `f${at}`) }),
      podOf({}, { "$deleteFromPrimitiveList/finalizers": range(size, (at) => `f${at}`) }),
    ],
    strategic,
  ],
  [
    "keeps some fields",
    (size) => [
      podOf({}, { labels: fields(size, () => "v") }),
      podOf({}, { labels: { $retainKeys: range(size, (at) => `k${at * 2}`) } }),
    ],
    strategic,
  ],
];

/** An object whose variables, finalizers or labels `manager` has applied. */
function appliedBy(manager: string, live: JsonObject, applied: JsonObject): JsonObject {
  return storedView(POD, fieldManagerOf(POD).apply(storedView(POD, live), applied, manager, true));
}
const apply = (live: JsonObject, applied: JsonObject): Steps<JsonObject> =>
  fieldManagerOf(POD).applySteps(live, applied, "me", true);
/** It ends with an error that names each field. */
function* conflict(live: JsonObject, applied: JsonObject): Steps<unknown> {
  try {
    return yield* fieldManagerOf(POD).applySteps(live, applied, "me", false);
  } catch (error) {
    return error;
  }
}
const update = (live: JsonObject, next: JsonObject): Steps<unknown> =>
  fieldManagerOf(POD).updateSteps(live, next, "me");
const withTexts = (...finalizers: string[]): JsonObject => podOf({}, { finalizers });
const withLabels = (labels: JsonObject): JsonObject => podOf({}, { labels });
const names = (size: number): string[] => range(size, (at) => `f${at}`);

const APPLY: readonly Row[] = [
  [
    "applies keyed items in another order",
    (size) => [
      storedView(POD, withEnv(...range(size, variable))),
      withEnv(...reversed(range(size, (at) => ({ name: `v${at}`, value: "2" })))),
    ],
    apply,
  ],
  [
    "applies keyed items once more",
    (size) => {
      const env = withEnv(...range(size, variable));
      return [appliedBy("me", env, env), env];
    },
    apply,
  ],
  [
    "no longer applies half of the keyed items",
    (size) => {
      const env = withEnv(...range(size, variable));
      return [appliedBy("me", env, env), withEnv(...range(size / 2, (at) => variable(at * 2)))];
    },
    apply,
  ],
  [
    "conflicts in each keyed item",
    (size) => {
      const env = withEnv(...range(size, variable));
      return [appliedBy("you", env, env), withEnv(...range(size, (at) => ({ name: `v${at}`, value: "2" })))];
    },
    conflict,
  ],
  ["applies a set", (size) => [storedView(POD, withTexts(...names(size))), withTexts(...reversed(names(size)))], apply],
  [
    "no longer applies half of a set",
    (size) => {
      const all = withTexts(...names(size));
      return [appliedBy("me", all, all), withTexts(...names(size / 2))];
    },
    apply,
  ],
  [
    "applies a map",
    (size) => [storedView(POD, withLabels(fields(size, () => "v"))), withLabels(fields(size, () => "w"))],
    apply,
  ],
  [
    "no longer applies half of a map",
    (size) => {
      const all = withLabels(fields(size, () => "v"));
      return [appliedBy("me", all, all), withLabels(fields(size / 2, () => "v"))];
    },
    apply,
  ],
  [
    "tracks an update of each keyed item",
    (size) => {
      const env = withEnv(...range(size, variable));
      const live = appliedBy("you", env, env);
      return [live, storedView(POD, withEnv(...range(size, (at) => ({ name: `v${at}`, value: "2" }))))];
    },
    update,
  ],
  [
    "tracks an update of a set",
    (size) => {
      const all = withTexts(...names(size));
      return [appliedBy("you", all, all), storedView(POD, withTexts(...reversed(names(size * 2))))];
    },
    update,
  ],
];

const ofFields = (size: number, prefix: string): JsonObject => ({ "f:a": fields(size, () => ({}), prefix) });
const ofItems = (size: number): JsonObject =>
  Object.fromEntries(range(size, (at) => [`k:{"name":"v${(at * 7919) % size}"}`, { ".": {}, "f:name": {} }]));
const FIELD_SETS: readonly Row[] = [
  ["of sets that overlap: union", (size) => [ofFields(size, "f:k"), ofFields(size * 2, "f:k")], union],
  ["of sets that do not overlap: union", (size) => [ofFields(size, "f:k"), ofFields(size, "f:n")], union],
  ["difference", (size) => [ofFields(size * 2, "f:k"), ofFields(size, "f:k")], difference],
  ["intersection", (size) => [ofFields(size * 2, "f:k"), ofFields(size, "f:k")], intersection],
  ["comparison", (size) => [ofFields(size, "f:k"), ofFields(size, "f:k")], equal],
  ["order of fields", (size) => [ofFields(size, "f:k")], (one: JsonObject) => sortedSteps(one as never)],
  ["order of items", (size) => [ofItems(size)], (one: JsonObject) => sortedSteps(one as never)],
  ["list of paths", (size) => [ofItems(size)], (one: JsonObject) => [...paths(one as never)]],
  ["what a client wrote", (size) => [ofItems(size)], parseFieldsV1],
];

const CUSTOM = structuralSchemaOf(
  object({
    spec: object({
      set: set(text),
      map: mapList(["name"], object({ name: text, value: text })),
      list: array(object({ a: integer })),
    }),
  }),
);
const validate = compileValueValidation(CUSTOM);
const judge = (value: JsonValue, old: JsonValue): unknown => validate(value, old);
const LISTS: readonly Row[] = [
  ["a set", (size) => [{ spec: { set: names(size) } }, { spec: { set: reversed(names(size)) } }], judge],
  [
    "a set whose items repeat",
    (size) => [{ spec: { set: [...names(size), ...names(size)] } }, { spec: { set: names(size) } }],
    judge,
  ],
  [
    "a list of type map",
    (size) => [{ spec: { map: range(size, variable) } }, { spec: { map: reversed(range(size, variable)) } }],
    judge,
  ],
  [
    "wrong items that an update keeps",
    (size) => [
      { spec: { list: range(size, () => ({ a: "x" })) } },
      { spec: { list: range(size, () => ({ a: "x" })) } },
    ],
    judge,
  ],
];

/** What a rule about a list of this schema costs. */
function rule(schema: JsonObject, expression: string): Run {
  const structural = structuralSchemaOf(
    object({ spec: object({ x: { ...schema, "x-kubernetes-validations": [{ rule: expression }] } }) }),
  );
  const rules = compileRules(structural, true);
  return (value: JsonValue, old: JsonValue) => {
    const correlated = new CorrelatedValue(value, old, structural);
    const budget = 1_000_000_000;
    const result = rules?.(value, { correlated, budget });
    expect(result?.errors).toEqual([]);
    return budget - (result?.budgetLeft ?? 0);
  };
}
const sent = (value: JsonValue, old: JsonValue = value): readonly JsonValue[] => [
  { spec: { x: value } },
  { spec: { x: old } },
];
const KEYED = mapList(["name"], object({ name: text, value: text }));
const CEL: readonly Row[] = [
  ["all items", (size) => sent(range(size, (at) => at)), rule(array(integer), "self.all(x, x >= 0)")],
  [
    "a map of items",
    (size) => sent(range(size, (at) => at)),
    rule(array(integer), "self.map(x, x + 1).filter(x, x > 0).size() > 0"),
  ],
  ["lists that are equal", (size) => sent(range(size, (at) => at)), rule(array(integer), "self == oldSelf || true")],
  ["sets that are equal", (size) => sent(names(size), reversed(names(size))), rule(set(text), "self == oldSelf")],
  ["sets put together", (size) => sent(names(size), names(size * 2)), rule(set(text), "(self + oldSelf).size() > 0")],
  [
    "lists of type map that are equal",
    (size) => sent(range(size, variable), reversed(range(size, variable))),
    rule(KEYED, "self == oldSelf"),
  ],
  [
    "lists of type map put together",
    (size) => sent(range(size, variable), reversed(range(size, variable))),
    rule(KEYED, "(self + oldSelf).size() > 0"),
  ],
];

const CODECS: readonly Row[] = [
  [
    "decodes keyed items",
    (size) => [withEnv(...range(size, variable))],
    (one: JsonObject) => decodeObjectSteps(one, structOfKind(POD)),
  ],
  [
    "encodes keyed items",
    (size) => [withEnv(...range(size, variable))],
    (one: JsonObject) => encodeObjectSteps(one, structOfKind(POD)),
  ],
  [
    "encodes a map",
    (size) => [objectOf(CONFIG_MAP, { data: fields(size, () => "v") })],
    (one: JsonObject) => encodeObjectSteps(one, structOfKind(CONFIG_MAP)),
  ],
];

const TABLE: readonly (readonly [group: string, rows: readonly Row[]])[] = [
  ["a merge patch", MERGE],
  ["a JSON patch", JSON_PATCH],
  ["a strategic merge patch", STRATEGIC],
  ["server-side apply", APPLY],
  ["a field set", FIELD_SETS],
  ["validation of lists", LISTS],
  ["a rule", CEL],
  ["a codec", CODECS],
];

/** The looks at the input, the pauses and the cost of work on an input of a size. */
function stepsOf(prepare: Prepare, run: Run, size: number): number {
  const reads = new CountedReads();
  const inputs = prepare(size).map((input) => reads.of(input));
  reads.count = 0;
  let pauses = 0;
  let result = (run as (...args: readonly JsonValue[]) => unknown)(...inputs);
  if (isSteps(result)) {
    let step = result.next();
    for (; step.done !== true; step = result.next()) pauses += 1;
    result = step.value;
  }
  return reads.count + pauses + (typeof result === "number" ? result : 0);
}

function isSteps(value: unknown): value is Steps<unknown> {
  return Object.prototype.toString.call(value) === "[object Generator]";
}

const rows = TABLE.flatMap(([group, of]) => of.map(([what, ...rest]) => [`${group}: ${what}`, ...rest] as const));

test.each(rows)("work in slices takes steps in proportion to its input: %s", (_what, prepare, run) => {
  const [small, large] = [stepsOf(prepare, run, SIZE), stepsOf(prepare, run, SIZE * 2)];
  // The work has looked at all of its input, or the count says nothing.
  expect(small).toBeGreaterThan(SIZE);
  expect(large / small).toBeLessThan(MOST);
});

test("this test would find work that compares each item with every other", () => {
  const quadratic = (items: readonly JsonValue[]): unknown => items.filter((item) => items.indexOf(item) < 0);
  const prepare: Prepare = (size) => [range(size, (at) => at)];
  const [small, large] = [stepsOf(prepare, quadratic, SIZE), stepsOf(prepare, quadratic, SIZE * 2)];
  expect(large / small).toBeGreaterThan(3);
});
