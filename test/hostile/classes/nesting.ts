import {
  APPLY_PATCH,
  type Hostility,
  JSON_PATCH,
  JSON_TYPE,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  typed,
  YAML_TYPE,
} from "../hostility.js";
import { MAPS } from "../targets.js";
import { toAnyVerb } from "./malformed.js";

/** What encoding/json takes at most. */
const GO_DEPTH = 10_000;
/** What this server takes at most, here with room for what stands around: nobody's objects are so deep. */
const OUR_DEPTH = 900;

function nested(depth: number, list: boolean): string {
  return list ? `${"[".repeat(depth)}1${"]".repeat(depth)}` : `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
}

/** Deeper than anybody reads. */
export const tooDeep: Hostility = {
  name: "nested too deeply",
  share: 300,
  make(dice) {
    const least = dice.chance(0.5) ? GO_DEPTH : OUR_DEPTH + 101;
    const depth = least + 1 + dice.below(dice.chance(0.1) ? 300_000 : 5000);
    const inner = dice.chance(0.3) ? "[".repeat(depth) : nested(depth, dice.chance(0.5));
    const body = dice.chance(0.5) ? inner : `{"metadata":{"name":"deep"},"data":{"a":${inner}}}`;
    if (dice.chance(0.8)) return { ...toAnyVerb(dice, body), expected: [400] };
    const [method, path, type] = dice.pick([
      ["POST", MAPS, YAML_TYPE],
      ["PATCH", `${MAPS}/standing?fieldManager=hostile`, APPLY_PATCH],
    ] as const);
    return { method, path, headers: typed(type), body, expected: [400] };
  },
};

/** Deep, but not too deep: what the kind does not know is passed over, what it knows has another type. */
export const deep: Hostility = {
  name: "nested deeply",
  share: 300,
  make(dice) {
    const depth = 50 + dice.below(OUR_DEPTH - 50);
    const inner = nested(depth, dice.chance(0.5));
    const path = `${MAPS}/standing`;
    switch (dice.below(8)) {
      case 0:
        return {
          method: "POST",
          path: `${MAPS}?dryRun=All`,
          headers: typed(JSON_TYPE),
          body: `{"metadata":{"name":"deep"},"unknown":${inner}}`,
          expected: [201],
        };
      case 1:
        return {
          method: "POST",
          path: `${MAPS}?dryRun=All`,
          headers: typed(JSON_TYPE),
          body: `{"metadata":{"name":"deep"},"data":{"a":${inner}}}`,
          expected: [400],
        };
      case 2:
        return { method: "PATCH", path, headers: typed(MERGE_PATCH), body: `{"unknown":${inner}}`, expected: [200] };
      case 3:
        return {
          method: "PATCH",
          path,
          headers: typed(STRATEGIC_PATCH),
          body: `{"unknown":${inner}}`,
          expected: [200],
        };
      case 4: {
        const body = `[{"op":"add","path":"/unknown","value":${inner}},{"op":"copy","from":"/unknown","path":"/again"}]`;
        return { method: "PATCH", path, headers: typed(JSON_PATCH), body, expected: [200] };
      }
      case 5: {
        const body = `[{"op":"test","path":"/data","value":${inner}}]`;
        return { method: "PATCH", path, headers: typed(JSON_PATCH), body, expected: [422] };
      }
      case 6:
        return {
          method: "PATCH",
          path,
          headers: typed(dice.pick([MERGE_PATCH, STRATEGIC_PATCH])),
          body: `{"data":{"a":${inner}}}`,
          expected: [422],
        };
      default: {
        const fields = `{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:a":${nested(depth, false)}}}`;
        return {
          method: "POST",
          path: `${MAPS}?dryRun=All`,
          headers: typed(JSON_TYPE),
          body: `{"metadata":{"name":"deep","managedFields":[${fields}]}}`,
          // Who manages what is not worth refusing an object for.
          expected: [201],
        };
      }
    }
  },
};
