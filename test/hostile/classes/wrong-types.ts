import type { JsonObject } from "../../../src/machinery/meta/json.js";
import { formatGroupVersion } from "../../../src/machinery/meta/gvk.js";
import type { Dice } from "../dice.js";
import {
  ANY_REFUSAL_OR_SUCCESS,
  APPLY_PATCH,
  type HostileRequest,
  type Hostility,
  JSON_TYPE,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  typed,
} from "../hostility.js";
import { mutate } from "../mutate.js";
import { SAMPLES } from "../samples.js";
import { MAPS, PODS, DEPLOYMENTS, type Target } from "../targets.js";
import { strangeValue, toJson, valueFor } from "../values.js";

const SCALAR_OR_LIST = ["1", "true", '"a"', "[]", "1.5"];

/** Places of a type that a value of another type is put into: Go says "cannot unmarshal". */
const PLACES: readonly (readonly [path: string, body: (value: string) => string, values: readonly string[]])[] = [
  [MAPS, (value) => `{"metadata":${value}}`, SCALAR_OR_LIST],
  [MAPS, (value) => `{"metadata":{"name":${value}}}`, ["1", "true", "[]", "{}"]],
  [MAPS, (value) => `{"metadata":{"name":"a","labels":${value}}}`, SCALAR_OR_LIST],
  [MAPS, (value) => `{"metadata":{"name":"a","labels":{"a":${value}}}}`, ["1", "true", "[]", "{}"]],
  [MAPS, (value) => `{"metadata":{"name":"a","finalizers":${value}}}`, ["1", "true", '"a"', "{}"]],
  [
    MAPS,
    (value) => `{"metadata":{"name":"a","creationTimestamp":${value}}}`,
    ["1", "true", "[]", '"x"', '"2026-02-30T00:00:00Z"'],
  ],
  [MAPS, (value) => `{"metadata":{"name":"a","managedFields":${value}}}`, ["1", "true", '"a"', "{}"]],
  [MAPS, (value) => `{"metadata":{"name":"a"},"data":${value}}`, SCALAR_OR_LIST],
  [MAPS, (value) => `{"metadata":{"name":"a"},"binaryData":{"a":${value}}}`, ["1", "{}", '"!"', '"abc"']],
  [MAPS, (value) => `{"kind":${value}}`, ["1", "true", "[]", "{}"]],
  [MAPS, (value) => `{"apiVersion":${value}}`, ["1", "true", "[]", "{}", '"a/b/c"']],
  [MAPS, (value) => value, ["1", "true", '"a"', "[]", "[{}]"]],
  [PODS, (value) => `{"metadata":{"name":"a"},"spec":${value}}`, SCALAR_OR_LIST],
  [PODS, (value) => `{"metadata":{"name":"a"},"spec":{"containers":${value}}}`, ["1", "true", '"a"', "{}"]],
  [PODS, (value) => `{"metadata":{"name":"a"},"spec":{"containers":[${value}]}}`, ["1", "true", '"a"', "[]"]],
  [PODS, (value) => `{"metadata":{"name":"a"},"spec":{"hostNetwork":${value}}}`, ["1", '"a"', "[]", "{}"]],
  [DEPLOYMENTS, (value) => `{"metadata":{"name":"a"},"spec":{"replicas":${value}}}`, ["true", '"1"', "[]", "{}"]],
  [
    DEPLOYMENTS,
    (value) => `{"metadata":{"name":"a"},"spec":{"strategy":{"rollingUpdate":{"maxSurge":${value}}}}}`,
    ["true", "[]", "{}", "1.5"],
  ],
];

/** A value of another type than the field's. */
export const wrongTypes: Hostility = {
  name: "wrong types",
  share: 600,
  make(dice) {
    const [path, body, values] = dice.pick(PLACES);
    const common = { headers: typed(JSON_TYPE), body: body(dice.pick(values)), expected: [400] };
    return dice.chance(0.7)
      ? { method: "POST", path, ...common }
      : { method: "PUT", path: `${path}/standing`, ...common };
  },
};

/** A good object of the kind, or one that its types allow. */
function objectOf({ facts, schema }: Target, dice: Dice): JsonObject {
  const sample = SAMPLES[`${facts.group}/${facts.name}`];
  if (sample !== undefined && dice.chance(0.8)) return structuredClone(sample);
  return valueFor(schema, dice) as JsonObject;
}

const NAMES = ["a", "b", "things.example.com", "10.96.0.77", "v1.example.com", "10.200.0.0"];

/** The proxy's answers where a node has no address (500) and a service has no endpoints (503), as kube-apiserver's. */
const NOT_REACHED = [500, 503];

/** An object of any kind, changed at a few places, by a verb that writes. */
export const mutants: Hostility = {
  name: "mutated objects",
  share: 2300,
  make(dice, targets) {
    const target = dice.pick(targets);
    const { facts, collection } = target;
    const name = dice.pick(NAMES);
    const whole = objectOf(target, dice);
    whole["metadata"] = { ...(whole["metadata"] as JsonObject | undefined), name, labels: { app: "web" } };
    const body = toJson(dice.chance(0.9) ? mutate(whole, dice) : whole);
    const query = dice.pick(["", "", "?dryRun=All", "?fieldValidation=Strict", "?fieldValidation=Ignore"]);
    const own = `${collection}/${encodeURIComponent(name)}`;
    const parts = facts.subresources.filter(({ verbs }) => verbs.includes("update")).map((one) => one.name);
    const at = parts.length > 0 && dice.chance(0.25) ? `${own}/${dice.pick(parts)}` : own;
    const expected = at === `${own}/proxy` ? [...ANY_REFUSAL_OR_SUCCESS, ...NOT_REACHED] : ANY_REFUSAL_OR_SUCCESS;
    switch (dice.below(6)) {
      case 0:
        return { method: "PUT", path: at + query, headers: typed(JSON_TYPE), body, expected };
      case 1:
        return { method: "PATCH", path: at + query, headers: typed(MERGE_PATCH), body, expected };
      case 2:
        return { method: "PATCH", path: at + query, headers: typed(STRATEGIC_PATCH), body, expected };
      case 3: {
        const { metadata: _, ...rest } = whole;
        const applied = { apiVersion: formatGroupVersion(facts), kind: facts.kind, metadata: { name }, ...rest };
        const path = `${at}?fieldManager=hostile&force=${dice.chance(0.5)}`;
        return { method: "PATCH", path, headers: typed(APPLY_PATCH), body: toJson(applied), expected };
      }
      default:
        return { method: "POST", path: collection + query, headers: typed(JSON_TYPE), body, expected };
    }
  },
};

/** Not even an object of the kind. */
export const anything: Hostility = {
  name: "any JSON at all",
  share: 300,
  make(dice, targets): HostileRequest {
    const { collection } = dice.pick(targets);
    const body = toJson(strangeValue(dice));
    const [method, path] = dice.pick([
      ["POST", collection],
      ["PUT", `${collection}/standing`],
      ["DELETE", `${collection}/nobody`],
    ] as const);
    return { method, path, headers: typed(JSON_TYPE), body, expected: ANY_REFUSAL_OR_SUCCESS };
  },
};
