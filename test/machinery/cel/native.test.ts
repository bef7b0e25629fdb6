import { describe, expect, test } from "vitest";
import { OPTIONAL_TYPES } from "../../../src/machinery/cel/extensions/optionals.js";
import { DYN } from "../../../src/machinery/cel/types/type.js";
import { environment, evaluate } from "./environment.js";

const env = environment({ any: DYN }, { libraries: [OPTIONAL_TYPES] });

const self = {
  replicas: 3,
  maxReplicas: 9007199254740993n,
  weight: 2,
  name: "n",
  names: ["a", "b"],
  labels: { "a/b": "c", __proto__x: "y" },
  children: [{ replicas: 1, children: [{ name: "deep" }] }],
  data: "aGVsbG8=",
  created: "2024-02-29T12:00:00.5Z",
  timeout: "1h30m",
  extra: { int: 1, double: 1.5, list: [1, null, { x: true }], text: "t" },
  paused: null,
  "a-b": "escaped",
};

describe("CEL reads decoded API objects by their declared types", () => {
  test.each([
    ["self.replicas + 1 == 4"],
    ["self.maxReplicas == 9007199254740993"],
    ["self.maxReplicas - 1 == 9007199254740992"],
    ["self.weight / 4.0 == 0.5"],
    ["type(self.weight) == double && type(self.replicas) == int"],
    ["self.names[1] == 'b' && 'a' in self.names && self.names == ['a', 'b']"],
    ["self.labels['a/b'] == 'c' && self.labels.size() == 2"],
    ["!('toString' in self.labels) && !has(self.labels.constructor)"],
    ["self.children[0].children[0].name == 'deep'"],
    ["self.children.all(c, c.replicas < self.replicas)"],
    ["self.data == b'hello'"],
    [
      "self.created.getFullYear() == 2024 && self.created.getDayOfYear() == 59 && self.created.getMilliseconds() == 500",
    ],
    ["self.created.getHours('America/New_York') == 7 && self.created.getHours('-02:30') == 9"],
    ["self.timeout == duration('90m') && self.timeout.getMinutes() == 90"],
    ["dyn(self.paused) == null"],
    ["self.a__dash__b == 'escaped'"],
    ["self.children[0] == self.children[0] && self.children[0] != self.children[0].children[0]"],
    ["has(self.name) && !has(self.children[0].name)"],
    ["self.children[?0].?name == optional.none() && self.?name == optional.of('n')"],
  ])("so that %s is true", (text) => {
    expect(evaluate(env, text, { self }).value).toBe(true);
  });

  test.each([
    ["type(any.int) == int && type(any.double) == double && type(any.list) == list && type(any) == map"],
    ["any.int + 1 == 2 && any.double * 2.0 == 3.0"],
    ["any.list == [1, null, {'x': true}]"],
    ["any.list[2].x"],
    ["any.exists(k, k == 'text')"],
    ["any.?none.?deeper == optional.none()"],
    ["any.int == 1.0 && any.int == 1u && any.double > any.int"],
  ])("or without a declared type by their values: %s is true", (text) => {
    expect(evaluate(env, text, { any: self.extra }).value).toBe(true);
  });

  test("and asks for a variable only when the expression uses it, once", () => {
    const asked: string[] = [];
    const bindings = (name: string): unknown => {
      asked.push(name);
      return name === "self" ? self : undefined;
    };
    expect(evaluate(env, "self.replicas > 0 && self.name == 'n' || any", bindings).value).toBe(true);
    expect(asked).toEqual(["self"]);
  });
});
