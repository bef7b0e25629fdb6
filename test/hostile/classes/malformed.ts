import type { Dice } from "../dice.js";
import {
  APPLY_PATCH,
  type HostileRequest,
  type Hostility,
  JSON_PATCH,
  JSON_TYPE,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  typed,
  YAML_TYPE,
} from "../hostility.js";
import { mutateBytes } from "../mutate.js";
import { DEPLOYMENTS, deploymentNamed, MAPS } from "../targets.js";
import { ANY_REFUSAL_OR_SUCCESS } from "../hostility.js";

/** A body that every verb with one is asked to read. */
export function toAnyVerb(dice: Dice, body: string | Uint8Array): Omit<HostileRequest, "expected"> {
  switch (dice.below(6)) {
    case 0:
      return { method: "POST", path: MAPS, headers: typed(JSON_TYPE), body };
    case 1:
      return { method: "PUT", path: `${MAPS}/standing`, headers: typed(JSON_TYPE), body };
    case 2:
      return { method: "DELETE", path: `${MAPS}/nobody`, headers: typed(JSON_TYPE), body };
    case 3:
      return { method: "DELETE", path: `${MAPS}?labelSelector=no=body`, headers: typed(JSON_TYPE), body };
    case 4:
      return {
        method: "POST",
        path: "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        headers: typed(JSON_TYPE),
        body,
      };
    default:
      return {
        method: "PATCH",
        path: `${MAPS}/standing`,
        headers: typed(dice.pick([JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH])),
        body,
      };
  }
}

const DOCUMENTS: readonly string[] = [
  '{"metadata":{"name":"a","labels":{"b":"c"}},"data":{"x":"y"}}',
  '[{"op":"add","path":"/data/x","value":[1,2.5e3,true,null,"\\u00e9"]}]',
  JSON.stringify(deploymentNamed("a")),
];

const BROKEN: readonly string[] = [
  "{",
  "}",
  "[",
  '"',
  "{]",
  "[}",
  '{"a"}',
  '{"a":}',
  '{"a":1,}',
  '{,"a":1}',
  "[1,]",
  "[,1]",
  "{'a':1}",
  "{a:1}",
  '{"a":01}',
  '{"a":+1}',
  '{"a":.5}',
  '{"a":1.}',
  '{"a":1e}',
  '{"a":0x10}',
  '{"a":NaN}',
  '{"a":-Infinity}',
  '{"a":tru}',
  '{"a":nul}',
  '{"a":"\\x41"}',
  '{"a":"\\u12"}',
  '{"a":"\n"}',
  '{"a":"\u0000"}',
  '{"a":1}{"b":2}',
  '{"a":1} x',
  "// comment\n{}",
  "\ufeff{}",
  "\u0000",
  "undefined",
  "-",
  "--1",
];

/** JSON that is none: cut off, or with what JSON does not have. */
export const malformed: Hostility = {
  name: "JSON that is none",
  share: 700,
  make(dice) {
    const document = dice.pick(DOCUMENTS);
    const body = dice.chance(0.5) ? dice.pick(BROKEN) : document.slice(0, 1 + dice.below(document.length - 1));
    return { ...toAnyVerb(dice, body), expected: [400] };
  },
};

/** Bodies whose bytes were changed somewhere. */
export const corrupted: Hostility = {
  name: "corrupted bytes",
  share: 500,
  make(dice) {
    const body = mutateBytes(Buffer.from(dice.pick(DOCUMENTS)), dice);
    if (dice.chance(0.7)) return { ...toAnyVerb(dice, body), expected: ANY_REFUSAL_OR_SUCCESS };
    const [method, path, type] = dice.pick([
      ["POST", MAPS, YAML_TYPE],
      ["PUT", `${DEPLOYMENTS}/standing`, YAML_TYPE],
      ["PATCH", `${MAPS}/standing?fieldManager=hostile`, APPLY_PATCH],
    ] as const);
    return { method, path, headers: typed(type), body, expected: ANY_REFUSAL_OR_SUCCESS };
  },
};
