import { describe, expect, test } from "vitest";
import type { KubeObject } from "../../../src/machinery/meta/object.js";
import { int32, string, struct } from "../../../src/machinery/schema/build-schema.js";
import { NotRegisteredError, Scheme } from "../../../src/machinery/scheme/scheme.js";

const V1 = { group: "stable.example.com", version: "v1" };
const V2 = { ...V1, version: "v2" };
const widget = struct("Widget", { size: int32 });
const gadget = struct("Gadget", { name: string });
const status = struct("Status", { message: string });

describe("a scheme, the registry of kinds,", () => {
  test("SCH-1, SCH-5: takes several kinds of a version in one call", () => {
    const scheme = new Scheme("test");
    scheme.registerAll(V1, { Widget: widget, Gadget: { schema: () => gadget } });
    expect(scheme.kinds()).toEqual([
      { ...V1, kind: "Widget" },
      { ...V1, kind: "Gadget" },
    ]);
    expect(scheme.kind({ ...V1, kind: "Gadget" }).schema).toBe(gadget);
  });

  test("SCH-6: takes a kind again with the same schema, and refuses another one", () => {
    const scheme = new Scheme("test");
    scheme.registerAll(V1, { Widget: widget });
    scheme.registerAll(V1, { Widget: widget });
    expect(() => scheme.registerAll(V1, { Widget: gadget })).toThrow(
      'Double registration of different types for stable.example.com/v1, Kind=Widget: old=v1.Widget, new=v1.Gadget in scheme "test"',
    );
    expect(() => scheme.registerAll({ group: "x", version: "" }, { Widget: widget })).toThrow(
      "version is required on all types: x/, Kind=Widget Widget",
    );
  });

  test("SCH-2, SCH-8: finds an unversioned kind in every version, and never converts it", () => {
    const scheme = new Scheme("test");
    scheme.registerUnversioned({ group: "", version: "v1" }, { Status: status });
    scheme.registerAll(V1, { Widget: widget });
    expect(scheme.isUnversioned("Status")).toBe(true);
    expect(scheme.isUnversioned("Widget")).toBe(false);
    expect(scheme.kind({ ...V2, kind: "Status" }).gvk).toEqual({ group: "", version: "v1", kind: "Status" });
    const failure = { apiVersion: "v1", kind: "Status", message: "no" };
    expect(scheme.convert(failure, V1)).toEqual(failure);
    expect(() => scheme.registerUnversioned(V1, { Status: gadget })).toThrow(
      'v1.Status has already been registered as unversioned kind "stable.example.com/v1, Kind=Status" - kind name must be unique in scheme "test"',
    );
    expect(new Scheme("above", scheme).isUnversioned("Status")).toBe(true);
  });

  test("SCH-7, SCH-8, B-SCH-04: refuses what is not registered in apimachinery's words", () => {
    const scheme = new Scheme("test");
    scheme.registerAll(V1, { Widget: widget });
    const refusal = (gvk: { group: string; version: string; kind: string }) => () => scheme.kind(gvk);
    expect(refusal({ ...V2, kind: "Widget" })).toThrow(
      new NotRegisteredError('no kind "Widget" is registered for version "stable.example.com/v2" in scheme "test"'),
    );
    expect(refusal({ ...V1, version: "__internal", kind: "Widget" })).toThrow(
      'no kind "Widget" is registered for the internal version of group "stable.example.com" in scheme "test"',
    );
    expect(refusal({ ...V2, kind: "" })).toThrow(
      'no version "stable.example.com/v2" has been registered in scheme "test"',
    );
    expect(() => scheme.convert({ apiVersion: "stable.example.com/v1", kind: "Widget" }, V2)).toThrow(
      'v1.Widget is not suitable for converting to "stable.example.com/v2" in scheme "test"',
    );
  });

  test("A-CONV-01: gives conversion functions a scope: the caller's context, other conversions, and fields of the same name", () => {
    const scheme = new Scheme("test");
    const older = struct("Widget", { size: string, note: string });
    const seen: unknown[] = [];
    scheme.registerAll(V1, {
      Widget: {
        schema: () => older,
        hub: { ...V2, kind: "Widget" },
        conversion: {
          toHub(object, scope) {
            seen.push(scope.context);
            const inner = object["inner"] as KubeObject | undefined;
            return {
              ...scope.defaultConvert(object, struct("Widget", { size: int32, note: string })),
              ...(inner && { inner: scope.convert(inner, V2) }),
            };
          },
          fromHub: (object) => object,
        },
      },
    });
    scheme.registerAll(V2, { Widget: struct("Widget", { size: int32, note: string }) });
    const inner = { apiVersion: "stable.example.com/v1", kind: "Widget", note: "b" };
    const converted = scheme.convert({ ...inner, size: "3", note: "a", inner }, V2, "context");
    expect(converted).toEqual({
      apiVersion: "stable.example.com/v2",
      kind: "Widget",
      note: "a",
      inner: { apiVersion: "stable.example.com/v2", kind: "Widget", note: "b" },
    });
    expect(seen).toEqual(["context", "context"]);
  });
});
