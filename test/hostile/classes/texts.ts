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

/** Bytes that are no UTF-8: a lone continuation, a cut-off sequence, an overlong slash, a surrogate, beyond Unicode. */
const NOT_UTF8: readonly (readonly number[])[] = [
  [0x80],
  [0xc3],
  [0xc0, 0xaf],
  [0xed, 0xa0, 0x80],
  [0xf5, 0x80, 0x80, 0x80],
  [0xff, 0xfe],
  [0xe2, 0x82],
];

const around = (before: string, bytes: readonly number[], after: string): Uint8Array =>
  Buffer.concat([Buffer.from(before), Uint8Array.from(bytes), Buffer.from(after)]);

/** Texts that are no UTF-8: JSON reads U+FFFD, YAML refuses. */
export const badUtf8: Hostility = {
  name: "bad UTF-8",
  share: 400,
  make(dice) {
    const bytes = dice.pick(NOT_UTF8);
    const dry = `${MAPS}?dryRun=All`;
    switch (dice.below(6)) {
      case 0:
        return {
          method: "POST",
          path: dry,
          headers: typed(JSON_TYPE),
          body: around('{"metadata":{"name":"u"},"data":{"a":"', bytes, '"}}'),
          expected: [201],
        };
      case 1:
        return {
          method: "POST",
          path: dry,
          headers: typed(JSON_TYPE),
          body: around('{"metadata":{"name":"', bytes, '"}}'),
          expected: [422],
        };
      case 2:
        return {
          method: "POST",
          path: dry,
          headers: typed(JSON_TYPE),
          body: around('{"metadata":{"name":"u"},"data":{"', bytes, '":""}}'),
          expected: [422],
        };
      case 3:
        return {
          method: "PATCH",
          path: `${MAPS}/standing`,
          headers: typed(dice.pick([MERGE_PATCH, STRATEGIC_PATCH])),
          body: around('{"data":{"a":"', bytes, '"}}'),
          expected: [200],
        };
      case 4:
        return {
          method: "PATCH",
          path: `${MAPS}/standing`,
          headers: typed(JSON_PATCH),
          body: around('[{"op":"add","path":"/data/', bytes, '","value":""}]'),
          expected: [422],
        };
      default: {
        const [method, path, type] = dice.pick([
          ["POST", MAPS, YAML_TYPE],
          ["PATCH", `${MAPS}/standing?fieldManager=hostile`, APPLY_PATCH],
        ] as const);
        const body = around('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: standing}\ndata:\n  a: "', bytes, '"\n');
        return { method, path, headers: typed(type), body, expected: [400] };
      }
    }
  },
};

const REPEATED: readonly (readonly [text: string, name: string])[] = [
  ['{"metadata":{"name":"d"},"data":{"a":"1","a":"2"}}', "data.a"],
  ['{"metadata":{"name":"d","name":"d"}}', "metadata.name"],
  ['{"metadata":{"name":"d"},"data":{},"data":{}}', "data"],
  ['{"metadata":{"name":"d","labels":{"x":"1","\\u0078":"2"}}}', "metadata.labels.x"],
  ['{"metadata":{"name":"d"},"data":{"__proto__":"1","__proto__":"2"}}', "data.__proto__"],
  [`{"metadata":{"name":"d"},"data":{${'"k":"v",'.repeat(3000)}"k":"v"}}`, "data.k"],
];

/** The same key twice: refused by whoever asks for it. */
export const duplicateKeys: Hostility = {
  name: "duplicate keys",
  share: 350,
  make(dice) {
    const [body] = dice.pick(REPEATED);
    const strict = dice.chance(0.6);
    const query = strict
      ? "dryRun=All&fieldValidation=Strict"
      : `dryRun=All&fieldValidation=${dice.pick(["Warn", "Ignore"])}`;
    const own = `${MAPS}/standing?${query}`;
    const named = body.replaceAll('"name":"d"', '"name":"standing"');
    switch (dice.below(5)) {
      case 0:
        return { method: "PUT", path: own, headers: typed(JSON_TYPE), body: named, expected: [strict ? 400 : 200] };
      case 1:
        return {
          method: "PATCH",
          path: own,
          headers: typed(dice.pick([MERGE_PATCH, STRATEGIC_PATCH])),
          body: named,
          expected: [strict ? 422 : 200],
        };
      case 2: {
        const patch = '[{"op":"add","op":"add","path":"/data/x","path":"/data/y","value":"1"}]';
        return { method: "PATCH", path: own, headers: typed(JSON_PATCH), body: patch, expected: [strict ? 422 : 200] };
      }
      case 3: {
        const yaml = "metadata: {name: d}\ndata:\n  a: '1'\n  a: '2'\n";
        return {
          method: "POST",
          path: `${MAPS}?${query}`,
          headers: typed(YAML_TYPE),
          body: yaml,
          expected: [strict ? 400 : 201],
        };
      }
      default:
        return {
          method: "POST",
          path: `${MAPS}?${query}`,
          headers: typed(JSON_TYPE),
          body,
          expected: [strict ? 400 : 201],
        };
    }
  },
};
