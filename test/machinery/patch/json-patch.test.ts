import { expect, test } from "vitest";
import type { JsonValue } from "../../../src/machinery/meta/json.js";
import { applyJsonPatch } from "../../../src/machinery/patch/json-patch.js";
import { isPatchError, patchErrorStatus } from "../../../src/machinery/patch/patch-error.js";

const document = { metadata: { name: "a", finalizers: ["a", "b"] }, data: { k: "1" } };
const withData = (data: JsonValue): JsonValue => ({ ...document, data });
const withFinalizers = (...finalizers: string[]): JsonValue => ({ ...document, metadata: { name: "a", finalizers } });

interface Case {
  readonly name: string;
  readonly patch: JsonValue;
  readonly result?: JsonValue;
  readonly error?: string;
}

// Results and errors are those of `kubectl patch --local --type json`.
const cases: readonly Case[] = [
  {
    name: "add sets a member",
    patch: [{ op: "add", path: "/data/n", value: "2" }],
    result: withData({ k: "1", n: "2" }),
  },
  {
    name: "add without a value sets null",
    patch: [{ op: "add", path: "/data/n" }],
    result: withData({ k: "1", n: null }),
  },
  {
    name: "add inserts before an index",
    patch: [{ op: "add", path: "/metadata/finalizers/1", value: "c" }],
    result: withFinalizers("a", "c", "b"),
  },
  {
    name: "a leading zero or plus is still an index",
    patch: [{ op: "add", path: "/metadata/finalizers/+01", value: "c" }],
    result: withFinalizers("a", "c", "b"),
  },
  {
    name: "add appends at -",
    patch: [{ op: "add", path: "/metadata/finalizers/-", value: "c" }],
    result: withFinalizers("a", "b", "c"),
  },
  {
    name: "negative indices count from the end",
    patch: [{ op: "remove", path: "/metadata/finalizers/-1" }],
    result: withFinalizers("a"),
  },
  {
    name: "replace adds a member that is missing",
    patch: [{ op: "replace", path: "/data/n", value: "2" }],
    result: withData({ k: "1", n: "2" }),
  },
  { name: "replace takes the whole document", patch: [{ op: "replace", path: "", value: { a: 1 } }], result: { a: 1 } },
  {
    name: "escapes are undone in the right order",
    patch: [{ op: "add", path: "/data/a~1b~01", value: "x" }],
    result: withData({ k: "1", "a/b~1": "x" }),
  },
  {
    name: "move takes away and puts",
    patch: [{ op: "move", from: "/data/k", path: "/data/l" }],
    result: withData({ l: "1" }),
  },
  {
    name: "copy of what is missing is null",
    patch: [{ op: "copy", from: "/data/x", path: "/data/l" }],
    result: withData({ k: "1", l: null }),
  },
  {
    name: "a test of what is missing passes for null",
    patch: [{ op: "test", path: "/data/x", value: null }],
    result: document,
  },
  {
    name: "a test compares objects without regard to order",
    patch: [{ op: "test", path: "", value: { data: { k: "1" }, metadata: { finalizers: ["a", "b"], name: "a" } } }],
    result: document,
  },
  {
    name: "a prototype is a key like any other",
    patch: [{ op: "add", path: "/data/__proto__", value: { x: 1 } }],
    result: withData(JSON.parse('{"k":"1","__proto__":{"x":1}}') as JsonValue),
  },
  {
    name: "no inherited member is found",
    patch: [{ op: "test", path: "/data/constructor", value: null }],
    result: document,
  },

  {
    name: "what was copied is on its own from then on",
    patch: [
      { op: "copy", from: "/metadata", path: "/again" },
      { op: "add", path: "/metadata/finalizers/-", value: "c" },
      { op: "copy", from: "/again/finalizers", path: "/again/more" },
      { op: "remove", path: "/again/finalizers/0" },
      { op: "replace", path: "/again/more/1", value: "x" },
    ],
    result: {
      metadata: { name: "a", finalizers: ["a", "b", "c"] },
      data: { k: "1" },
      again: { name: "a", finalizers: ["b"], more: ["a", "x"] },
    },
  },
  {
    name: "a value of the patch is on its own too",
    patch: [
      { op: "add", path: "/x", value: { list: [1] } },
      { op: "add", path: "/x/list/-", value: 2 },
    ],
    result: { ...(document as object), x: { list: [1, 2] } } as JsonValue,
  },
  {
    name: "a value put into itself over and over",
    patch: Array.from({ length: 1200 }, () => [
      { op: "add", path: "/y", value: [] },
      { op: "move", from: "/metadata", path: "/y/-" },
      { op: "move", from: "/y", path: "/metadata" },
    ]).flat(),
    error: "exceeded max depth",
  },

  {
    name: "remove of what is missing",
    patch: [{ op: "remove", path: "/data/x" }],
    error: "error in remove for path: '/data/x': Unable to remove nonexistent key: x: missing value",
  },
  {
    name: "remove below what is missing",
    patch: [{ op: "remove", path: "/foo/x" }],
    error: 'remove operation does not apply: doc is missing path: "/foo/x": missing value',
  },
  {
    name: "a failed test",
    patch: [{ op: "test", path: "/data/k", value: "2" }],
    error: "testing value /data/k failed: test failed",
  },
  {
    name: "add beyond the end",
    patch: [{ op: "add", path: "/metadata/finalizers/7", value: "c" }],
    error:
      "error in add for path: '/metadata/finalizers/7': Unable to access invalid index: 7: invalid index referenced",
  },
  {
    name: "add at no index",
    patch: [{ op: "add", path: "/metadata/finalizers/x", value: "c" }],
    error:
      "error in add for path: '/metadata/finalizers/x': value was not a proper array index: 'x': strconv.Atoi: parsing \"x\": invalid syntax",
  },
  {
    name: "replace beyond the end",
    patch: [{ op: "replace", path: "/metadata/finalizers/5", value: "x" }],
    error: "replace operation does not apply: doc is missing key: /metadata/finalizers/5: missing value",
  },
  {
    name: "add below a scalar",
    patch: [{ op: "add", path: "/data/k/l", value: 1 }],
    error: 'add operation does not apply: doc is missing path: "/data/k/l": missing value',
  },
  {
    name: "add without a path",
    patch: [{ op: "add", value: 1 }],
    error: "add operation failed to decode path: missing value",
  },
  {
    name: "move without a from",
    patch: [{ op: "move", path: "/data/k" }],
    error: "move operation failed to decode from: operation, missing from field: missing value",
  },
  {
    name: "move into itself",
    patch: [{ op: "move", from: "/metadata", path: "/metadata/x" }],
    error: "move operation does not apply: doc is missing destination path: /metadata/x: missing value",
  },
  { name: "an unknown operation", patch: [{ op: "bogus", path: "/data" }], error: "Unexpected kind: bogus" },
  { name: "no operation", patch: [null], error: "Unexpected kind: unknown" },
  {
    name: "no list",
    patch: { op: "add" },
    error: "json: cannot unmarshal object into Go value of type jsonpatch.Patch",
  },
];

test.each(cases)("a JSON patch: $name", ({ patch, result, error }) => {
  const before = JSON.stringify([document, patch]);
  if (error === undefined) expect(applyJsonPatch(document, patch)).toStrictEqual(result);
  else expect(failure(() => applyJsonPatch(document, patch))).toBe(error);
  expect(JSON.stringify([document, patch])).toBe(before);
});

test("a JSON patch that fails half-way changes nothing, and is a 422", () => {
  const patch = [
    { op: "remove", path: "/data/k" },
    { op: "test", path: "/data/k", value: "1" },
  ];
  expect(statusOf(() => applyJsonPatch(document, patch))).toMatchObject({ code: 422, reason: "Invalid" });
  expect(document.data).toEqual({ k: "1" });
});

test("the number of operations of a JSON patch, and the size of what they copy, are limited", () => {
  const many = Array.from({ length: 3 }, () => ({ op: "test", path: "/data/k", value: "1" }));
  expect(statusOf(() => applyJsonPatch(document, many, { maxOperations: 2, maxCopiedBytes: 0 }))).toMatchObject({
    code: 413,
    message: "Request entity too large: The allowed maximum operations in a JSON patch is 2, got 3",
  });
  const copies = Array.from({ length: 9 }, (_, n) => ({ op: "copy", from: "/data", path: `/data/k${n}` }));
  expect(() => applyJsonPatch(document, copies, { maxOperations: 100, maxCopiedBytes: 1000 })).toThrow(
    /^Unable to complete the copy, the accumulated size increase of copy is \d+, exceeding the limit 1000$/,
  );
});

function statusOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return isPatchError(error) ? patchErrorStatus(error)?.status : error;
  }
  return undefined;
}

function failure(action: () => unknown): string | undefined {
  try {
    action();
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}
