import { describe, expect, test } from "vitest";
import {
  JSON_PATCH,
  MadeObject,
  MadePatch,
  MUTATION_TYPES,
  OBJECT_TYPE,
  typeNameProblems,
} from "../../../../src/machinery/cel/kubernetes/mutation-types.js";
import { valueToJson } from "../../../../src/machinery/cel/kubernetes/to-json.js";
import { evaluate, failure, issuesOf } from "./evaluate.js";

const MORE = { types: MUTATION_TYPES, libraries: [JSON_PATCH] };

describe("objects that the CEL expressions of a MutatingAdmissionPolicy make", () => {
  test.each([
    ["Object{}", {}],
    ["Object{spec: Object.spec{replicas: 3}}", { spec: { replicas: 3 } }],
    [
      "Object{list: [1, 2], text: 'a', ok: true, nothing: null, half: 0.5}",
      { list: [1, 2], text: "a", ok: true, nothing: null, half: 0.5 },
    ],
    ["Object{metadata: Object.metadata{labels: {'a.b/c': 'd'}}}", { metadata: { labels: { "a.b/c": "d" } } }],
    [
      "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'a'}]}}",
      { spec: { containers: [{ name: "a" }] } },
    ],
    ["Object{?there: optional.of(1), ?missing: optional.none()}", { there: 1 }],
    ["Object{?spec: optional.ofNonZeroValue(Object.spec{?replicas: Object{}.?replicas})}", {}],
    [
      "Object{at: timestamp('2024-01-01T00:00:00Z'), after: duration('90s'), data: b'a'}",
      { at: "2024-01-01T00:00:00Z", after: "90s", data: "YQ==" },
    ],
    ["Object{ints: [1, 2, 3]}.ints.sum()", 6],
    ["Object{spec: Object.spec{a: 1}}.spec.a", 1],
    ["Object{}.a == null", true],
    ["has(Object{a: 1}.a) && !has(Object{}.a)", true],
    ["Object{}.?a.hasValue()", false],
    ["Object{spec: Object.spec{replicas: 3}} == Object{spec: Object.spec{replicas: 1 + 2}}", true],
    ["Object{a: 1} == Object{a: 2}", false],
    ["Object{a: 1} == Object{b: 1}", false],
    ["Object.spec{} == dyn(Object.status{})", false],
    ["'/metadata/labels/' + jsonpatch.escapeKey('k8s.io/my~label')", "/metadata/labels/k8s.io~1my~0label"],
  ])("by %s are %j", (text, value) => {
    expect(valueToJson(evaluate(text, {}, MORE).value)).toEqual(value);
  });

  test.each([
    [`JSONPatch{op: "add", path: "/a", value: 3}`, ["add", "/a", "", 3]],
    [`JSONPatch{op: "remove", path: "/a"}`, ["remove", "/a", "", undefined]],
    [`JSONPatch{op: "move", from: "/a", path: "/b"}`, ["move", "/b", "/a", undefined]],
    [`JSONPatch{op: "add", path: "/a", value: Object.spec{b: [1]}}`, ["add", "/a", "", { b: [1] }]],
    [`JSONPatch{op: "test", path: "/a", value: null}`, ["test", "/a", "", null]],
    [`JSONPatch{op: "nonsense"}`, ["nonsense", "", "", undefined]],
    [`true ? JSONPatch{op: "add"} : JSONPatch{op: "remove"}`, ["add", "", "", undefined]],
  ])("by %s are the patch %j", (text, [op, path, from, value]) => {
    const patch = evaluate(text, {}, MORE).value as MadePatch;
    expect(patch).toBeInstanceOf(MadePatch);
    expect([
      patch.op,
      patch.path,
      patch.from,
      patch.value === undefined ? undefined : valueToJson(patch.value),
    ]).toEqual([op, path, from, value]);
  });

  test.each([
    [`JSONPatch{op: "add"}.op == "add" && JSONPatch{}.path == ""`, true],
    [`has(JSONPatch{value: 1}.value) && !has(JSONPatch{}.value) && !has(JSONPatch{}.op)`, true],
    [`JSONPatch{op: "add", value: 1} == JSONPatch{op: "add", value: 1}`, true],
    [`JSONPatch{op: "add"} == JSONPatch{op: "remove"}`, false],
    [`JSONPatch{value: null} == JSONPatch{}`, false],
  ])("%s is %j", (text, value) => {
    expect(evaluate(text, {}, MORE).value).toBe(value);
  });

  test.each([
    ["Invalid{}", "undeclared reference to 'Invalid' (in container '')"],
    ["Objects{}", "undeclared reference to 'Objects' (in container '')"],
    [`JSONPatch{op: 1}`, "expected type of field 'op' is 'string' but provided type is 'int'"],
    [`JSONPatch{path: 1}`, "expected type of field 'path' is 'string' but provided type is 'int'"],
    [`JSONPatch{from: [1]}`, "expected type of field 'from' is 'string' but provided type is 'list(int)'"],
    [`JSONPatch{operation: "add"}`, "undefined field 'operation'"],
    ["Object{?a: 1}", "expected type 'optional_type(int)' but found 'int'"],
  ])("%s is refused: %s", (text, message) => {
    expect(issuesOf(text, MORE)).toEqual([message]);
  });

  test("keep every digit of an int beyond 2^53", () => {
    expect(valueToJson(evaluate("Object{big: 9223372036854775807}", {}, MORE).value)).toEqual({ big: 2n ** 63n - 1n });
  });

  test("fail when a field of a patch is no text", () => {
    expect(failure("JSONPatch{op: dyn(1)}", {}, MORE)).toBe("unexpected type int64 for JSONPatchType 'op' field");
    expect(failure("JSONPatch{path: dyn([1])}", {}, MORE)).toBe(
      "unexpected type []ref.Val for JSONPatchType 'path' field",
    );
  });

  test("have a type named after their place", () => {
    const { value } = evaluate("Object{spec: Object.spec{a: [Object.spec.b{}], c: {'d': Object{}}}}", {}, MORE);
    expect(value).toBeInstanceOf(MadeObject);
    expect((value as MadeObject).type.is(OBJECT_TYPE)).toBe(true);
    expect(typeNameProblems(value)).toEqual([
      'unexpected type name "Object.spec.b", expected "Object.spec.a", which matches field name path from root Object type',
      'unexpected type name "Object", expected "Object.spec.c", which matches field name path from root Object type',
    ]);
  });

  test.each([
    ["Object{map: {1: 'a'}}", `map key "1" is of type types.Int, not string`],
    ["Object{type: int}", "type conversion error from 'type' to 'google.protobuf.Value'"],
    ["Object{ip: ip('::1')}", "type conversion error from 'net.IP' to 'google.protobuf.Value'"],
  ])("by %s cannot be JSON: %s", (text, message) => {
    const { value } = evaluate(text, {}, MORE);
    expect(() => valueToJson(value)).toThrow(message);
  });
});
