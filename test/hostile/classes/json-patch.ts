import type { Dice } from "../dice.js";
import { ANY_REFUSAL_OR_SUCCESS, type HostileRequest, type Hostility, JSON_PATCH, typed } from "../hostility.js";
import { DEPLOYMENTS, MAPS } from "../targets.js";
import { strangeText, strangeValue, toJson } from "../values.js";

const PATH = `${MAPS}/standing?dryRun=All`;

const patch = (body: string, expected: readonly number[], reason?: string): HostileRequest => ({
  method: "PATCH",
  path: PATH,
  headers: typed(JSON_PATCH),
  body,
  expected,
  ...(reason !== undefined && { reason }),
});

const steps = (...operations: readonly object[]): string => JSON.stringify(operations);
const times = (count: number, step: (index: number) => object): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => step(index)));

type Make = (dice: Dice) => HostileRequest;

const MAKERS: readonly Make[] = [
  // A list that holds itself: twice as large with every copy.
  (dice) =>
    patch(
      steps(
        { op: "add", path: "/data", value: { a: "x".repeat(10 + dice.below(1000)) } },
        ...Array.from({ length: 40 + dice.below(40) }, (_, index) => ({
          op: "copy",
          from: "",
          path: `/data/${index}`,
        })),
      ),
      [422],
    ),
  (dice) =>
    patch(
      steps(
        { op: "add", path: "/x", value: ["a".repeat(dice.below(100))] },
        ...Array.from({ length: 60 }, () => ({ op: "copy", from: "/x", path: "/x/-" })),
      ),
      [422],
    ),
  (dice) =>
    patch(
      steps(
        { op: "add", path: "/x", value: "a".repeat(400_000) },
        ...Array.from({ length: 10 + dice.below(30) }, (_, index) => ({ op: "copy", from: "/x", path: `/${index}` })),
      ),
      [422],
    ),
  // Too many operations.
  (dice) =>
    patch(
      times(10_001 + dice.below(5000), () => ({ op: "test", path: "/data/a", value: "1" })),
      [413],
      "RequestEntityTooLarge",
    ),
  (dice) => patch(`[${"null,".repeat(10_001 + dice.below(100_000))}{}]`, [413], "RequestEntityTooLarge"),
  // As many as there may be, each with work to do.
  () =>
    patch(
      times(10_000, () => ({ op: "test", path: "/metadata", value: {} })),
      [422],
    ),
  () =>
    patch(
      times(10_000, (index) => ({ op: "add", path: `/unknown${index}`, value: index })),
      [200],
    ),
  (dice) => {
    const first = { op: "add", path: "/x", value: Array.from({ length: 20_000 + dice.below(20_000) }, () => 1) };
    return patch(steps(first, ...Array.from({ length: 3000 }, () => ({ op: "remove", path: "/x/1" }))), [200]);
  },
  (dice) => {
    const first = { op: "add", path: "/x", value: Array.from({ length: 20_000 + dice.below(20_000) }, () => 1) };
    return patch(
      steps(first, ...Array.from({ length: 3000 }, (_, at) => ({ op: "move", from: "/x/0", path: `/x/${at}` }))),
      [200],
    );
  },
  // Cycles.
  () => patch(steps({ op: "move", from: "/data", path: "/data/inside" }), [422]),
  () => patch(steps({ op: "move", from: "/metadata", path: "/metadata/labels/x" }), [422]),
  () => {
    const around = [
      { op: "add", path: "/y", value: [] },
      { op: "move", from: "/x", path: "/y/-" },
      { op: "move", from: "/y", path: "/x" },
    ];
    return patch(
      steps({ op: "add", path: "/x", value: [] }, ...Array.from({ length: 400 }, () => around).flat()),
      [200],
    );
  },
  // Pointers.
  (dice) => patch(steps({ op: "add", path: "/a".repeat(1 + dice.below(200_000)), value: 1 }), [200, 422]),
  (dice) =>
    patch(
      steps({ op: dice.pick(["add", "replace", "remove", "test"]), path: `/data/${"~1".repeat(100_000)}`, value: "" }),
      ANY_REFUSAL_OR_SUCCESS,
    ),
  (dice) =>
    patch(
      steps({ op: "test", path: dice.pick(["data", "a/b", "~", "/data/~2", "/data/nobody", "/data/a/b"]), value: "x" }),
      [422],
    ),
  (dice) =>
    patch(steps({ op: "remove", path: dice.pick(["/nobody", "/data/__proto__", "/metadata/labels/toString"]) }), [422]),
  (dice) => {
    const index = dice.pick(["-1", "-2", "2", "99999999999999999999", "1e3", "0x0", "-", "", " 0", "+0", "01"]);
    return patch(
      steps(
        { op: "add", path: "/x", value: [1] },
        { op: dice.pick(["add", "remove", "replace"]), path: `/x/${index}`, value: 1 },
      ),
      [200, 422],
    );
  },
  // Not operations.
  (dice) =>
    patch(
      dice.pick([
        "{}",
        '"a"',
        "1",
        "true",
        "[1]",
        '["a"]',
        "[[]]",
        "[true]",
        '[{"op":1}]',
        '[{"path":[]}]',
        '[{"from":{}}]',
      ]),
      [400],
    ),
  (dice) =>
    patch(steps({ op: dice.pick(["", "ADD", "__proto__", "constructor", "merge"]), path: "/data/a", value: 1 }), [422]),
  () => patch(steps({ op: "add", value: 1 }), [422]),
  () => patch(steps({ op: "move", path: "/data/a" }), [422]),
  // What comes out is no object of the kind.
  (dice) =>
    patch(
      steps({
        op: "replace",
        path: dice.pick(["", "/metadata", "/data", "/metadata/labels"]),
        value: dice.pick([[], [1]]),
      }),
      [422],
    ),
  (dice) => patch(steps({ op: "replace", path: "/metadata/name", value: dice.pick(["other", ""]) }), [400]),
  (dice) => patch(steps({ op: "add", path: "/data/__proto__", value: dice.pick(["x", ""]) }), [200, 422]),
];

/** JSON patches that grow, go round in circles or point nowhere. */
export const jsonPatches: Hostility = {
  name: "JSON patches",
  share: 450,
  make: (dice) => dice.pick(MAKERS)(dice),
};

const OPERATIONS = ["add", "remove", "replace", "move", "copy", "test"];
const POINTERS = [
  "",
  "/",
  "/metadata",
  "/metadata/labels",
  "/metadata/labels/app",
  "/spec",
  "/spec/replicas",
  "/spec/template",
  "/spec/template/spec/containers",
  "/spec/template/spec/containers/0",
  "/spec/template/spec/containers/-",
  "/spec/selector",
  "/x",
];

/** Operations by chance on an object with something in it. */
export const randomJsonPatches: Hostility = {
  name: "JSON patches by chance",
  share: 300,
  make(dice) {
    const pointer = () => (dice.chance(0.9) ? dice.pick(POINTERS) : `/${strangeText(dice)}`);
    const operations = Array.from({ length: 1 + dice.below(6) }, () => ({
      op: dice.pick(OPERATIONS),
      path: pointer(),
      from: pointer(),
      value: strangeValue(dice),
    }));
    return {
      method: "PATCH",
      path: `${DEPLOYMENTS}/standing?dryRun=All`,
      headers: typed(JSON_PATCH),
      body: toJson(operations),
      expected: ANY_REFUSAL_OR_SUCCESS,
    };
  },
};
