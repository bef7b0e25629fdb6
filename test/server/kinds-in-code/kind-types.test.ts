import { describe, expect, expectTypeOf, test } from "vitest";
import {
  anyObject,
  boolean,
  type Complete,
  conversion,
  int32,
  integer,
  intOrString,
  kind,
  list,
  map,
  type ObjectOf,
  startServer,
  string,
  struct,
} from "../../../src/cluster/server.js";
import type { JsonObject } from "../../../src/machinery/meta/json.js";
import type { ValueOf } from "../../../src/machinery/schema/declarations.js";

// What compiles and what must not. A line behind "@ts-expect-error" is compiled; where it would run, the test says what happens.

const v1 = struct("Widget", {
  spec: struct("WidgetSpec", {
    replicas: int32,
    colour: { schema: string, required: true, enum: ["red", "blue"] },
    ports: list(struct("Port", { port: { schema: intOrString, required: true }, open: boolean })),
    limits: map(int32),
  }),
  status: struct("WidgetStatus", { phase: string }),
});
const v1beta1 = struct("Widget", {
  spec: struct("WidgetSpec", { size: int32, colour: { schema: string, required: true, enum: ["red", "blue"] } }),
  status: struct("WidgetStatus", { phase: string }),
});
const widgets = kind("stable.example.com", "Widget", { v1 });

/** Keeps a call that must not compile from running. */
const never = (call: () => unknown): void => void call;

describe("the TypeScript type of a kind defined in code", () => {
  test("A-CAP-04: follows from the schema builders", () => {
    type Widget = ObjectOf<typeof widgets, "v1">;
    expectTypeOf<NonNullable<Widget["apiVersion"]>>().toEqualTypeOf<"stable.example.com/v1">();
    expectTypeOf<NonNullable<Widget["kind"]>>().toEqualTypeOf<"Widget">();
    expectTypeOf<NonNullable<Widget["spec"]>>().toEqualTypeOf<{
      replicas?: number;
      colour: "red" | "blue";
      ports?: { port: number | string; open?: boolean }[];
      limits?: Record<string, number>;
    }>();
    expectTypeOf<NonNullable<Widget["status"]>>().toEqualTypeOf<{ phase?: string }>();
    expectTypeOf<NonNullable<Widget["metadata"]>["name"]>().toEqualTypeOf<string | undefined>();
  });

  test("of fields that may be null, keep others, or have any form", () => {
    const schema = struct("Spec", {
      size: { schema: integer, required: true, nullable: true },
      colour: { schema: string, nullable: true, enum: ["red"] },
      values: anyObject,
      open: struct("Open", { a: string }, { preservesUnknownFields: true }),
    });
    expectTypeOf<ValueOf<typeof schema>>().toEqualTypeOf<{
      size: number | null;
      colour?: "red" | null;
      values?: JsonObject;
      open?: { a?: string } & { [field: string]: unknown };
    }>();
    const value: ValueOf<typeof schema> = { size: null, open: { a: "a", b: 1 } };
    expect(value.open?.["b"]).toBe(1);
    // @ts-expect-error: a is a text.
    never((): ValueOf<typeof schema> => ({ size: 1, open: { a: 1 } }));
  });

  test("refuses wrong values, unknown fields and unknown versions", () => {
    type Widget = ObjectOf<typeof widgets, "v1">;
    // @ts-expect-error: replicas is a number.
    never((): Widget => ({ spec: { replicas: "3", colour: "red" } }));
    // @ts-expect-error: colour is required.
    never((): Widget => ({ spec: { replicas: 3 } }));
    // @ts-expect-error: green is none of the colours.
    never((): Widget => ({ spec: { colour: "green" } }));
    // @ts-expect-error: there is no field size in v1.
    never((): Widget => ({ spec: { colour: "red", size: 3 } }));
    // @ts-expect-error: there is no version v2.
    never((): ObjectOf<typeof widgets, "v2"> => ({}));
  });

  test("is the type in the validating function, and the kind is accepted by a server", () => {
    const checked = kind(
      "stable.example.com",
      "Widget",
      { v1beta1, v1: { schema: v1, conversion: halves } },
      {
        storageVersion: "v1beta1",
        validate(object) {
          expectTypeOf(object.spec).toEqualTypeOf<{ size?: number; colour: "red" | "blue" } | undefined>();
          return [];
        },
      },
    );
    expectTypeOf(startServer).toBeCallableWith({ resources: [checked, widgets] });
    expect(checked).toMatchObject({ group: "stable.example.com", resource: "widgets", storageVersion: "v1beta1" });
  });
});

const halves = conversion(v1, v1beta1, {
  toHub: ({ spec, status }) => ({ spec: spec && { size: spec.replicas, colour: spec.colour }, status }),
  fromHub: ({ spec, status }) => ({
    spec: spec && { replicas: spec.size, colour: spec.colour, ports: undefined, limits: undefined },
    status,
  }),
});

describe("the TypeScript type of a conversion between versions", () => {
  test("requires every field of the result", () => {
    expectTypeOf<Complete<{ a?: number; b: { c?: string }[] }>>().toEqualTypeOf<{
      a: number | undefined;
      b: { c: string | undefined }[];
    }>();
  });

  test("makes a forgotten field, at any depth, a compiler error", () => {
    never(() =>
      conversion(v1beta1, v1, {
        // @ts-expect-error: the status is forgotten.
        toHub: ({ spec }) => ({
          spec: spec && { replicas: spec.size, colour: spec.colour, ports: undefined, limits: undefined },
        }),
        // @ts-expect-error: spec.size is forgotten.
        fromHub: ({ spec, status }) => ({ spec: spec && { colour: spec.colour }, status }),
      }),
    );
  });

  test("allows undefined fields and keeps metadata", () => {
    const scope = { context: undefined, convert: (object: object) => object, defaultConvert: () => ({}) };
    const object = { metadata: { name: "a" }, spec: { size: 2, colour: "red" } };
    expect(halves.fromHub(object, scope as never)).toStrictEqual({
      metadata: { name: "a" },
      spec: { replicas: 2, colour: "red" },
    });
  });
});
