import { describe, expect, test } from "vitest";
import { DOUBLE, DURATION, DYN, INT, listType, UINT } from "../../../../src/machinery/cel/types/type.js";
import { ErrorValue } from "../../../../src/machinery/cel/values/value.js";
import { kubernetesEnvironment, KUBERNETES_PROGRAM } from "../../../../src/machinery/cel/kubernetes/environment.js";
import { valueToJson } from "../../../../src/machinery/cel/kubernetes/to-json.js";
import { evaluate, issuesOf, testFailures, testIssues, testValues } from "./evaluate.js";

describe("Kubernetes' CEL functions of lists", () => {
  testValues([
    ["[1, 2, 3].isSorted()", true],
    ["['a', 'b', 'b', 'c'].isSorted()", true],
    ["[2.0, 1.0].isSorted()", false],
    ["[1].isSorted()", true],
    ["[].isSorted()", true],
    ["[false, true].isSorted()", true],
    ["[true, false].isSorted()", false],
    ["[b'a', b'ab'].isSorted()", true],
    ["[duration('1m'), duration('59s')].isSorted()", false],
    ["[timestamp('2024-01-01T00:00:00Z'), timestamp('2024-01-01T00:00:01Z')].isSorted()", true],
    ["['\\U0001F600', '\\uFFFD'].isSorted()", false],
    ["[1u, 3u, 2u].isSorted()", false],
    ["[1, 3].sum()", 4],
    ["[1.0, 3.5].sum()", 4.5],
    ["[1u, 3u].sum()", 4],
    ["[duration('1m'), duration('1s')].sum()", "61s"],
    ["[].sum()", 0],
    ["[1, 3].min()", 1],
    ["[1, 3].max()", 3],
    ["[3, 1, 2].min()", 1],
    ["['b', 'a'].max()", "b"],
    ["[true, false].min()", false],
    ["[duration('2s'), duration('1s')].min()", "1s"],
    ["[timestamp('2024-01-01T00:00:00Z'), timestamp('2025-01-01T00:00:00Z')].max()", "2025-01-01T00:00:00Z"],
    ["([0] + []).min()", 0],
    ["[1, 2, 2, 3].indexOf(2)", 1],
    ["[1, 2, 2, 3].lastIndexOf(2)", 2],
    ["['a', 'b', 'b', 'c'].lastIndexOf('b')", 2],
    ["[1.0].indexOf(1.1)", -1],
    ["[].indexOf('string')", -1],
    ["[[1], [2]].indexOf([2])", 1],
    ["[{'a': 1}].lastIndexOf({'a': 1})", 0],
    ["[null, null].lastIndexOf(null)", 1],
    ["'abcabc'.indexOf('c') + 'abcabc'.lastIndexOf('c')", 7],
  ]);

  testFailures([
    ["[].min()", "min called on empty list"],
    ["[].max()", "max called on empty list"],
    ["[9223372036854775807, 1].sum()", "integer overflow"],
    ["[18446744073709551615u, 1u].sum()", "unsigned integer overflow"],
    ["[dyn(1), dyn('a')].sum()", "no such overload"],
    ["[dyn([1])].min()", "no such overload: min(list)"],
    ["[dyn({})].isSorted()", "no such overload: isSorted(list)"],
  ]);

  testIssues([
    ["['a'].sum()", "found no matching overload for 'sum' applied to 'list(string).()'"],
    ["[[1]].max()", "found no matching overload for 'max' applied to 'list(list(int)).()'"],
    ["[1].indexOf('a')", "found no matching overload for 'indexOf' applied to 'list(int).(string)'"],
  ]);

  test.each([
    ["int", INT, 0],
    ["uint", UINT, 0],
    ["double", DOUBLE, 0],
    ["duration", DURATION, "0s"],
  ])("sum an empty list of %s to zero", (_, type, zero) => {
    const { value } = evaluate("list.sum()", { list: [] }, { variables: [{ name: "list", type: listType(type) }] });
    expect(String(value instanceof Object && "value" in value ? value.value : value)).toBe(String(zero));
  });

  test("sort numbers of different types when their type is not declared", () => {
    const more = { variables: [{ name: "list", type: listType(DYN) }] };
    expect(evaluate("list.max() == 2.5 && list.min() == 1", { list: [2, 2.5, 1] }, more).value).toBe(true);
    expect(evaluate("list.isSorted()", { list: [1, "a", 0] }, more).value).not.toBeInstanceOf(ErrorValue);
  });
});

describe("K37-240: the CEL function includes() of Kubernetes 1.37", () => {
  const since = kubernetesEnvironment("1.37");
  test.each([
    ["[1, 2].includes(2)", true],
    ["[1, 2].includes(3)", false],
    ["[1, 2].includes(2.0)", true],
    ["['a'].includes(1)", false],
    ["[[1]].includes([1])", true],
    ["[].includes(1)", false],
    ["'a'.includes('a')", true],
    ["'ab'.includes('a')", false],
    ["{'a': 1}.includes({'a': 1})", true],
    ["dyn([null]).includes(null)", true],
  ])("%s is %j", (text, expected) => {
    const { ast, issues } = since.compile(text);
    if (ast === undefined) throw new Error(issues.toString());
    expect(valueToJson(since.program(ast, KUBERNETES_PROGRAM).evaluate({}).value)).toBe(expected);
  });

  test("does not exist in 1.36", () => {
    expect(issuesOf("[1].includes(1)")).toEqual(["undeclared reference to 'includes' (in container '')"]);
  });
});
