import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../../src/machinery/meta/json.js";
import { createJsonPatch } from "../../../src/machinery/patch/create-json-patch.js";
import { applyJsonPatch } from "../../../src/machinery/patch/json-patch.js";
import { deepEqual } from "../../../src/machinery/patch/json-values.js";

describe("createJsonPatch", () => {
  test.each<[string, JsonValue, JsonValue, unknown]>([
    ["no step for equal values", { a: [1, { b: null }] }, { a: [1, { b: null }] }, []],
    ["a new member, with / and ~ of its key escaped", {}, { "a/b~c": 1 }, [{ op: "add", path: "/a~1b~0c", value: 1 }]],
    ["a member that is gone", { a: { b: 1, c: 2 } }, { a: { c: 2 } }, [{ op: "remove", path: "/a/b" }]],
    ["a value of another type", { a: 1 }, { a: ["x"] }, [{ op: "replace", path: "/a", value: ["x"] }]],
    [
      "one item of a list",
      { a: [{ b: 1 }, { b: 2 }] },
      { a: [{ b: 1 }, { b: 3 }] },
      [{ op: "replace", path: "/a/1/b", value: 3 }],
    ],
    ["an item behind the end of a list", { a: [1] }, { a: [1, 2] }, [{ op: "add", path: "/a/-", value: 2 }]],
    ["a shorter list as a whole", { a: [1, 2] }, { a: [2] }, [{ op: "replace", path: "/a", value: [2] }]],
    ["a member set to null", { a: 1 }, { a: null }, [{ op: "replace", path: "/a", value: null }]],
  ])("makes %s", (_, original, modified, steps) => {
    expect(createJsonPatch(original, modified)).toEqual(steps);
  });

  test("the patch turns any object into any other", () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 }));
    fc.assert(
      fc.property(object, object, (original, modified) => {
        const [before, after] = [original, modified] as JsonValue[];
        const patch = createJsonPatch(before ?? null, after ?? null);
        const patched = applyJsonPatch(structuredClone(before) ?? null, structuredClone(patch) as unknown as JsonValue);
        expect(deepEqual(patched, after)).toBe(true);
      }),
    );
  });
});
