import { describe, expect, expectTypeOf, test } from "vitest";
import { type ApiKindsOf, int32, kind, list, type ObjectOf, string, struct } from "../../../src/cluster/kind.js";

const widgets = kind("example.com", "Widget", {
  v1: {
    schema: struct("Widget", {
      spec: struct("WidgetSpec", {
        size: { schema: int32, minimum: 1, required: true },
        colour: { schema: string, default: "red" },
        parts: list(struct("Part", { name: { schema: string, required: true } })),
      }),
    }),
    rules: [{ at: "spec", rule: "self.colour != 'red' || self.size < 10", message: "red widgets are small" }],
  },
});

const widget = (spec: object) => ({ apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "one" }, spec });

describe("a kind as a Standard Schema", () => {
  const { validate, version, vendor } = widgets["~standard"];

  test("has the version and the vendor that the specification asks for", () => {
    expect({ version, vendor }).toEqual({ version: 1, vendor: "kubets" });
  });

  test("completes a right object with its defaults, and changes nothing of the given one", async () => {
    const given = widget({ size: 3 });
    expect(await validate(given)).toEqual({ value: widget({ size: 3, colour: "red" }) });
    expect(given).toEqual(widget({ size: 3 }));
  });

  test.each<[string, unknown, object[]]>([
    ["no object", 7, [{ message: "Invalid value: an object is needed", path: [] }]],
    [
      "another version",
      { ...widget({ size: 1 }), apiVersion: "example.com/v9" },
      [{ message: 'Unsupported value: supported values: "example.com/v1"', path: ["apiVersion"] }],
    ],
    [
      "another kind",
      { ...widget({ size: 1 }), kind: "Gadget" },
      [{ message: "Invalid value: the kind is Widget", path: ["kind"] }],
    ],
    ["a missing field", widget({}), [{ message: "Required value", path: ["spec", "size"] }]],
    [
      "a wrong item of a list, at its index",
      widget({ size: 1, parts: [{ name: "a" }, {}] }),
      [{ message: "Required value", path: ["spec", "parts", 1, "name"] }],
    ],
    [
      "a field that the schema does not have",
      widget({ size: 1, sise: 2 }),
      [{ message: "unknown field", path: ["spec", "sise"] }],
    ],
    [
      "what a rule in CEL refuses",
      widget({ size: 12 }),
      [{ message: expect.stringContaining("red widgets are small") as string, path: ["spec"] }],
    ],
  ])("names the issues of %s, in the server's words", async (_, value, issues) => {
    expect(await validate(value)).toEqual({ issues: expect.arrayContaining(issues) as object[] });
  });

  test("a kind gives the entries of ApiKinds by apiVersion and kind", () => {
    expectTypeOf<keyof ApiKindsOf<typeof widgets>>().toEqualTypeOf<"example.com/v1/Widget">();
    expectTypeOf<ApiKindsOf<typeof widgets>["example.com/v1/Widget"]>().toEqualTypeOf<ObjectOf<typeof widgets, "v1">>();
  });
});
