import { type Hostility, JSON_PATCH, JSON_TYPE, MERGE_PATCH, STRATEGIC_PATCH, typed, YAML_TYPE } from "../hostility.js";
import { DEPLOYMENTS, LIMITS, MAPS, PODS } from "../targets.js";

/** Integers that fit no int32, some of them no int64 and no float64 either. */
const NO_INT32 = [
  "2147483648",
  "-2147483649",
  "9223372036854775808",
  "1e10",
  "1.5",
  "1e-1",
  "123456789012345678901234567890",
];
/** Numbers that no float64 holds. */
const NO_FLOAT64 = ["1e400", "-1e400", `1${"0".repeat(400)}`, `${"9".repeat(5000)}`];

const deployment = (replicas: string) =>
  `{"metadata":{"name":"n"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"a","image":"b"}]}}}}`;

/** Numbers too large for where they stand. */
export const hugeNumbers: Hostility = {
  name: "huge numbers",
  share: 500,
  make(dice) {
    const number = dice.pick(dice.chance(0.5) ? NO_INT32 : NO_FLOAT64);
    switch (dice.below(6)) {
      case 0:
        return {
          method: "POST",
          path: DEPLOYMENTS,
          headers: typed(JSON_TYPE),
          body: deployment(number),
          expected: [400],
        };
      case 1:
        return {
          method: "PUT",
          path: `${DEPLOYMENTS}/standing`,
          headers: typed(JSON_TYPE),
          body: deployment(number),
          expected: [400],
        };
      case 2: {
        const body = `{"spec":{"replicas":${number}}}`;
        const type = dice.pick([MERGE_PATCH, STRATEGIC_PATCH]);
        return { method: "PATCH", path: `${DEPLOYMENTS}/standing`, headers: typed(type), body, expected: [400, 422] };
      }
      case 3: {
        const body = `[{"op":"replace","path":"/spec/replicas","value":${number}}]`;
        return {
          method: "PATCH",
          path: `${DEPLOYMENTS}/standing`,
          headers: typed(JSON_PATCH),
          body,
          expected: [400, 422],
        };
      }
      case 4: {
        const body = `{"gracePeriodSeconds":${dice.pick(["1.5", "9223372036854775808", ...NO_FLOAT64])}}`;
        return { method: "DELETE", path: `${PODS}/nobody`, headers: typed(JSON_TYPE), body, expected: [400] };
      }
      default: {
        const body = `{"spec":{"replicas":${number}}}`;
        return {
          method: "PUT",
          path: `${DEPLOYMENTS}/standing/scale`,
          headers: typed(JSON_TYPE),
          body,
          expected: [400],
        };
      }
    }
  },
};

const QUERY_NUMBERS = [
  "9223372036854775808",
  "-9223372036854775809",
  "1e3",
  "0x10",
  "1.5",
  "NaN",
  " 1",
  "1_000",
  "9".repeat(3000),
];

/** Numbers of a query that are none, or too large. */
export const queryNumbers: Hostility = {
  name: "numbers of a query",
  share: 200,
  make(dice) {
    const value = encodeURIComponent(dice.pick(QUERY_NUMBERS));
    const name = dice.pick(["limit", "timeoutSeconds"]);
    if (dice.chance(0.3))
      return { method: "DELETE", path: `${PODS}/nobody?gracePeriodSeconds=${value}`, expected: [400] };
    return { method: dice.pick(["GET", "DELETE"]), path: `${MAPS}?${name}=${value}`, expected: [400] };
  },
};

/** Exponents, digits without end: what it costs to be exact. */
export const exactNumbers: Hostility = {
  name: "numbers that cost",
  share: 250,
  make(dice) {
    const digits = "9".repeat(1 + dice.below(30_000));
    const quantity = dice.pick([
      `1e${dice.below(1_000_000_000)}`,
      `1e-${dice.below(1_000_000_000)}`,
      digits,
      `0.${digits}`,
      `${digits}.${digits}Ei`,
      `-${digits}n`,
      `${"0".repeat(20_000)}1`,
      `1${"0".repeat(20_000)}`,
      `0.${"0".repeat(20_000)}1`,
      `1e${digits}`,
    ]);
    const quoted = dice.chance(0.8)
      ? `"${quantity}"`
      : /^-?\d+$/.test(quantity)
        ? quantity.replace(/^0+/, "") || "0"
        : `"${quantity}"`;
    const [type, body] = dice.chance(0.7)
      ? [JSON_TYPE, `{"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container","max":{"cpu":${quoted}}}]}}`]
      : [YAML_TYPE, `metadata: {name: l}\nspec: {limits: [{type: Container, max: {cpu: ${quantity}}}]}\n`];
    return { method: "POST", path: `${LIMITS}?dryRun=All`, headers: typed(type), body, expected: [201, 400, 422] };
  },
};
