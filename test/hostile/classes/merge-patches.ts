import type { JsonObject } from "../../../src/machinery/meta/json.js";
import {
  ANY_REFUSAL_OR_SUCCESS,
  APPLY_PATCH,
  type HostileRequest,
  type Hostility,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  typed,
} from "../hostility.js";
import { mutate } from "../mutate.js";
import { DEPLOYMENTS, MAPS } from "../targets.js";
import { strangeValue, toJson } from "../values.js";

const DEPLOYMENT = `${DEPLOYMENTS}/standing?dryRun=All`;

/** Directives that say nothing, on what they do not apply to. All of them are the client's fault. */
const MALFORMED: readonly unknown[] = [
  { $patch: "nonsense" },
  { $patch: 1 },
  { $patch: null },
  { $patch: {} },
  { metadata: { $patch: "nonsense" } },
  { $retainKeys: "a" },
  { $retainKeys: {} },
  { $retainKeys: 1 },
  { metadata: { $retainKeys: ["name"], labels: { a: "b" } } },
  { "$setElementOrder/x": "a" },
  { metadata: { "$setElementOrder/finalizers": {} } },
  { metadata: { $setElementOrder: ["a"] } },
  { metadata: { $deleteFromPrimitiveList: ["a"] } },
  { metadata: { finalizers: [["a"]] } },
  { spec: { template: { spec: { containers: [1] } } } },
  { spec: { template: { spec: { containers: [[]] } } } },
  { spec: { template: { spec: { containers: [{}] } } } },
  { spec: { template: { spec: { containers: [{ image: "x" }] } } } },
  { spec: { template: { spec: { containers: [{ $patch: "delete" }] } } } },
  { spec: { template: { spec: { containers: [{ $patch: "merge", name: "main" }] } } } },
  { spec: { template: { spec: { containers: [{ $patch: "nonsense", name: "main" }] } } } },
  { spec: { template: { spec: { "$setElementOrder/containers": [{}] } } } },
  { spec: { template: { spec: { "$setElementOrder/containers": [1], containers: [{ name: "main" }] } } } },
  {
    spec: {
      template: {
        spec: { "$setElementOrder/containers": [{ name: "other" }], containers: [{ name: "main", image: "b" }] },
      },
    },
  },
];

/** Strategic merge patches whose directives are malformed. */
export const malformedDirectives: Hostility = {
  name: "malformed directives",
  share: 300,
  make: (dice): HostileRequest => ({
    method: "PATCH",
    path: DEPLOYMENT,
    headers: typed(STRATEGIC_PATCH),
    body: JSON.stringify(dice.pick(MALFORMED)),
    expected: [400, 422],
  }),
};

const KEYS = [
  "$patch",
  "$retainKeys",
  "$setElementOrder/containers",
  "$deleteFromPrimitiveList/finalizers",
  "$setElementOrder",
  "$x/y",
];
const WORDS = ["replace", "delete", "merge", ""];

const BASE = {
  metadata: { labels: { a: "b" }, finalizers: ["a/b", "a/b"] },
  spec: {
    strategy: { $retainKeys: ["type"], type: "Recreate" },
    template: {
      spec: {
        "$setElementOrder/containers": [{ name: "main" }, { name: "more" }],
        containers: [
          { name: "main", env: [{ name: "A", $patch: "delete" }] },
          { name: "more", image: "x" },
        ],
      },
    },
  },
};

/** Merge patches of both sorts, with directives and strange values where chance puts them. */
export const randomMergePatches: Hostility = {
  name: "merge patches by chance",
  share: 350,
  make(dice) {
    const patch = structuredClone(BASE) as JsonObject;
    if (dice.chance(0.5)) patch[dice.pick(KEYS)] = dice.chance(0.5) ? dice.pick(WORDS) : strangeValue(dice);
    const { spec } = patch as { spec: { template: { spec: JsonObject } } };
    if (dice.chance(0.3)) spec.template.spec[dice.pick(KEYS)] = strangeValue(dice);
    return {
      method: "PATCH",
      path: DEPLOYMENT,
      headers: typed(dice.pick([MERGE_PATCH, STRATEGIC_PATCH, STRATEGIC_PATCH])),
      body: toJson(mutate(patch, dice)),
      expected: ANY_REFUSAL_OR_SUCCESS,
    };
  },
};

/** Long lists, where a comparison of each with each would take minutes. */
export const longLists: Hostility = {
  name: "merged lists that are long",
  share: 60,
  make(dice) {
    const count = 1000 + dice.below(2000);
    const names = Array.from({ length: count }, (_, index) => `example.com/f${index}`);
    const pick = dice.below(4);
    const metadata =
      pick === 0
        ? { finalizers: [...names, ...names] }
        : pick === 1
          ? { "$setElementOrder/finalizers": names, finalizers: names.toReversed() }
          : pick === 2
            ? { "$deleteFromPrimitiveList/finalizers": names, finalizers: names }
            : {
                "$setElementOrder/finalizers": names.toReversed(),
                finalizers: names.filter((_, index) => index % 2 === 0).toReversed(),
              };
    return {
      method: "PATCH",
      path: `${MAPS}/standing?dryRun=All`,
      headers: typed(STRATEGIC_PATCH),
      body: JSON.stringify({ metadata }),
      expected: [200, 400, 422],
    };
  },
};

/** Field sets that are none, and some that are. */
const FIELD_SETS: readonly unknown[] = [
  1,
  "a",
  [],
  { a: {} },
  { "f:": {} },
  { "f:data": 1 },
  { "f:data": { "f:a": [] } },
  { "k:": {} },
  { "k:{": {} },
  { 'k:{"a":': {} },
  { "k:[]": {} },
  { 'k:{"name":{}}': {} },
  { "v:": {} },
  { "v:{": {} },
  { "i:x": {} },
  { "i:99999999999999999999": {} },
  { "i:-1": {} },
  { ".": {} },
  { ".": 1 },
  { "f:__proto__": { "f:constructor": {} } },
  { "f:metadata": { "f:managedFields": {} } },
  { "f:data": { ".": {}, "f:a": {} } },
];

/** metadata.managedFields that nobody can have made, by every verb that may bring them. */
export const managedFields: Hostility = {
  name: "garbage in managedFields",
  share: 300,
  make(dice) {
    const entry = {
      manager: dice.pick(["a", "", "x".repeat(200), "\u0000"]),
      operation: dice.pick(["Update", "Apply", "Delete", ""]),
      apiVersion: dice.pick(["v1", "apps/v1", "nobody/v9", "", "a/b/c"]),
      time: "2026-01-02T03:04:05Z",
      fieldsType: dice.pick(["FieldsV1", "FieldsV2", ""]),
      fieldsV1: dice.pick(FIELD_SETS),
      subresource: dice.pick(["", "status", "nobody"]),
    };
    const entries = Array.from({ length: 1 + dice.below(3) }, () => entry);
    const metadata = { name: "standing", managedFields: dice.chance(0.9) ? entries : [strangeValue(dice)] };
    const body = toJson({ apiVersion: "v1", kind: "ConfigMap", metadata, data: { a: "1" } });
    const [method, path, type] = dice.pick([
      ["POST", `${MAPS}?dryRun=All`, "application/json"],
      ["PUT", `${MAPS}/standing`, "application/json"],
      ["PATCH", `${MAPS}/standing`, MERGE_PATCH],
      ["PATCH", `${MAPS}/standing`, STRATEGIC_PATCH],
      ["PATCH", `${MAPS}/standing?fieldManager=hostile&force=true`, APPLY_PATCH],
    ] as const);
    // Who applies may not say who manages what.
    return {
      method,
      path,
      headers: typed(type),
      body,
      expected: type === APPLY_PATCH ? [400] : ANY_REFUSAL_OR_SUCCESS,
    };
  },
};
