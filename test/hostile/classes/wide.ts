import type { Dice } from "../dice.js";
import {
  type HostileRequest,
  type Hostility,
  JSON_TYPE,
  MERGE_PATCH,
  STRATEGIC_PATCH,
  typed,
  YAML_TYPE,
} from "../hostility.js";
import { MAPS, PODS, SERVICES } from "../targets.js";

/** Bytes of a body made of very many small parts: of most of them, and of one in {@link HUGE_EVERY}. */
const BYTES = Number(process.env["KUBETS_HOSTILE_WIDE_BYTES"] ?? 40_000);
const HUGE_BYTES = 500_000;
const HUGE_EVERY = 12;

type Filled = (part: (index: number) => string) => string;

const filledTo =
  (bytes: number): Filled =>
  (part) => {
    const parts: string[] = [];
    for (let length = 0, index = 0; length < bytes; index++) {
      const one = part(index);
      parts.push(one);
      length += one.length + 1;
    }
    return parts.join();
  };

const OBJECTS: readonly (readonly [path: string, make: (filled: Filled) => string, expected: readonly number[]])[] = [
  [MAPS, (filled) => `{"metadata":{"name":"w"},"data":{${filled((at) => `"k${at}":""`)}}}`, [201]],
  [MAPS, (filled) => `{"metadata":{"name":"w","labels":{${filled((at) => `"k${at}":""`)}}}}`, [201]],
  [MAPS, (filled) => `{"metadata":{"name":"w","annotations":{${filled((at) => `"k${at}":""`)}}}}`, [201]],
  [MAPS, (filled) => `{"metadata":{"name":"w","finalizers":[${filled((at) => `"a/b${at}"`)}]}}`, [201]],
  [MAPS, (filled) => `{"metadata":{"name":"w","ownerReferences":[${filled(() => "{}")}]}}`, [422]],
  [MAPS, (filled) => `{"metadata":{"name":"w"},"unknown":[${filled(() => "[]")}]}`, [201]],
  [MAPS, (filled) => `{"metadata":{"name":"w"},"unknown":[${filled(() => "1e0")}]}`, [201]],
  [MAPS, (filled) => `{"metadata":{"name":"w"},${filled((at) => `"k${at}":1`)}}`, [201]],
  [MAPS, (filled) => `{"metadata":{"name":"w"},"data":{${filled(() => '"":""')}}}`, [422]],
  [PODS, (filled) => `{"metadata":{"name":"w"},"spec":{"containers":[${filled(() => "{}")}]}}`, [422]],
  [
    PODS,
    (filled) => `{"metadata":{"name":"w"},"spec":{"containers":[${filled((at) => `{"name":"c${at}","image":"i"}`)}]}}`,
    [201],
  ],
  [
    PODS,
    (filled) =>
      `{"metadata":{"name":"w"},"spec":{"containers":[{"name":"c","image":"i"}],"tolerations":[${filled(() => "{}")}]}}`,
    [422],
  ],
  [
    PODS,
    (filled) =>
      `{"metadata":{"name":"w"},"spec":{"containers":[{"name":"c","image":"i"}],"volumes":[${filled((at) => `{"name":"v${at}"}`)}]}}`,
    [201],
  ],
  [
    PODS,
    (filled) =>
      `{"metadata":{"name":"w"},"spec":{"containers":[{"name":"c","image":"i","env":[${filled((at) => `{"name":"v${at}"}`)}]}]}}`,
    [201],
  ],
  [
    SERVICES,
    (filled) =>
      `{"metadata":{"name":"w"},"spec":{"ports":[${filled((at) => `{"name":"p${at}","port":${(at % 65535) + 1}}`)}]}}`,
    [201, 422],
  ],
];

/** Objects of very many small parts. */
export const wide: Hostility = {
  name: "very many parts",
  share: 70,
  make(dice: Dice): HostileRequest {
    const filled = filledTo(dice.below(HUGE_EVERY) === 0 ? HUGE_BYTES : BYTES);
    if (dice.chance(0.2)) {
      const body = `{"data":{${filled((at) => `"k${at}":""`)}}}`;
      const headers = typed(dice.pick([MERGE_PATCH, STRATEGIC_PATCH]));
      return { method: "PATCH", path: `${MAPS}/standing?dryRun=All`, headers, body, expected: [200] };
    }
    const [path, make, expected] = dice.pick(OBJECTS);
    const type = dice.chance(0.8) ? JSON_TYPE : YAML_TYPE;
    return { method: "POST", path: `${path}?dryRun=All`, headers: typed(type), body: make(filled), expected };
  },
};
