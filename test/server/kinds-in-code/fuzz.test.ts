import { describe, expect, test } from "vitest";
import {
  anyJson,
  boolean,
  bytes,
  conversion,
  crdOf,
  type FieldDeclaration,
  float64,
  int32,
  int64,
  intOrString,
  kind,
  kindFromCrd,
  list,
  map,
  quantity,
  string,
  struct,
  time,
} from "../../../src/cluster/server.js";
import {
  checkConversions,
  checkDeclaration,
  checkRoundTrips,
  type Fuzz,
  RoundTripError,
} from "../../../src/cluster/server-testing.js";

const GROUP = "restaurant.example.com";

const everything = struct("Everything", {
  spec: {
    schema: struct("EverythingSpec", {
      text: { schema: string, number: 1 },
      flag: { schema: boolean, number: 2 },
      small: { schema: int32, number: 3, minimum: 0, maximum: 9 },
      large: { schema: int64, number: 4 },
      real: { schema: float64, number: 5 },
      data: { schema: bytes, number: 6 },
      since: { schema: time, number: 7 },
      memory: { schema: quantity, number: 8 },
      port: { schema: intOrString, number: 9 },
      free: { schema: anyJson, number: 10 },
      tags: { schema: list(string, { listType: "set" }), number: 11 },
      limits: { schema: map(int32), number: 12 },
      parts: { schema: list(struct("Part", { name: { schema: string, number: 1 } })), number: 13 },
      always: { schema: boolean, number: 14, omitEmpty: false },
    }),
    number: 2,
  },
});

const topping = struct("PizzaTopping", { name: { schema: string, required: true }, quantity: int32 });
const v1beta1 = struct("Pizza", { spec: struct("PizzaSpec", { toppings: list(topping) }) });
const v1alpha1 = struct("Pizza", { spec: struct("PizzaSpec", { toppings: list(string) }) });

function pizzas(fromHub: (toppings: { name: string; quantity: number | undefined }[]) => string[]) {
  return kind(GROUP, "Pizza", {
    v1beta1,
    v1alpha1: {
      schema: v1alpha1,
      conversion: conversion(v1alpha1, v1beta1, {
        toHub({ spec }) {
          const quantities = new Map<string, number>();
          for (const name of spec?.toppings ?? []) quantities.set(name, (quantities.get(name) ?? 0) + 1);
          const toppings = [...quantities].map(([name, quantity]) => ({ name, quantity }));
          return { spec: spec && { toppings: spec.toppings && toppings } };
        },
        fromHub: ({ spec }) => ({ spec: spec && { toppings: spec.toppings && fromHub(spec.toppings) } }),
      }),
    },
  });
}

const repeated = pizzas((toppings) => toppings.flatMap(({ name, quantity = 1 }) => Array<string>(quantity).fill(name)));

/** The fuzzer of the restaurant: a pizza has toppings, each of one name and one to ten times. */
const restaurant = {
  PizzaSpec(fuzz: Fuzz) {
    const spec = fuzz.withoutCustom() as { toppings?: { name: string; quantity: number }[] };
    const toppings = spec.toppings ?? [];
    if (toppings.length === 0) {
      return { toppings: ["salami", "mozzarella", "tomato"].map((name) => ({ name, quantity: 1 })) };
    }
    const names = new Set<string>();
    for (const one of toppings) {
      while (names.has(one.name)) one.name = fuzz.text();
      names.add(one.name);
      one.quantity = 1 + fuzz.integer(10);
    }
    return { toppings };
  },
};

describe("round trips of random objects of a kind defined in code", () => {
  test("A-RT-01, A-RT-04: keep every field in JSON, YAML and protobuf", async () => {
    const report = await checkRoundTrips(kind(GROUP, "Everything", { v1: everything }), { seed: 1, iterations: 300 });
    expect(report).toEqual({ seed: 1, objects: 900 });
  });

  test("A-RT-03, T7: keep the restaurant's pizzas in both versions", async () => {
    await checkRoundTrips(repeated, { seed: 1, iterations: 200, fuzzers: restaurant });
  });

  test("A-RT-01: find fields that a CustomResourceDefinition's versions do not share", async () => {
    const error = await failureOf(checkRoundTrips(kindFromCrd(crdOf(repeated)), { seed: 1, iterations: 20 }));
    expect(error.message).toContain("Pizza of restaurant.example.com: hub -> v1alpha1 in JSON -> hub: ");
    const single = kind(GROUP, "Everything", { v1: everything });
    await checkRoundTrips(kindFromCrd(crdOf(single)), { seed: 1, iterations: 100 });
  });

  test("A-RT-01: name a lost field, with the seed that makes the object again, and a small object", async () => {
    const once = pizzas((toppings) => toppings.map(({ name }) => name));
    const error = await failureOf(checkRoundTrips(once, { seed: 5, iterations: 200, fuzzers: restaurant }));
    expect(error.path).toMatch(/^spec\.toppings\[\d\]\.quantity$/);
    expect(error.message).toMatch(
      /^checkRoundTrips: Pizza of restaurant\.example\.com: hub -> v1alpha1 in JSON -> hub: changes spec\.toppings\[\d\]\.quantity from \d+ to 1\n/,
    );
    expect(error.message).toContain(`again with { seed: ${error.seed}, iterations: 1 }`);
    expect((error.object["spec"] as { toppings: unknown[] }).toppings).toHaveLength(1);
    const again = await failureOf(checkRoundTrips(once, { seed: error.seed, iterations: 1, fuzzers: restaurant }));
    expect(again.message).toBe(error.message);
  });

  test("A-RT-02: use the caller's fuzzers for paths, structs and scalars, and defaults for the rest", async () => {
    const seen: string[] = [];
    await checkRoundTrips(repeated, {
      seed: 1,
      iterations: 50,
      fuzzers: {
        "spec.toppings[*].quantity": (fuzz) => 1 + fuzz.integer(2),
        "spec.toppings": (fuzz) => {
          seen.push("path");
          return [fuzz.continue(topping, "[*]")];
        },
        PizzaTopping: (fuzz) => {
          seen.push("struct");
          return { ...(fuzz.withoutCustom() as object), quantity: 2 };
        },
        string: (fuzz) => {
          seen.push("scalar");
          return `${fuzz.random() < 0.5 ? "a" : "b"}${fuzz.text()}`;
        },
      },
    });
    expect(new Set(seen)).toEqual(new Set(["path", "struct", "scalar"]));
  });
});

describe("the declaration of a kind defined in code", () => {
  test("is validated as a CustomResourceDefinition: rules, patterns and defaults", () => {
    checkDeclaration(repeated);
    const pizza = (size: FieldDeclaration, rule: string) =>
      kind(GROUP, "Pizza", {
        v1: { schema: struct("Pizza", { spec: struct("PizzaSpec", { size }) }), rules: [{ at: "spec", rule }] },
      });
    const checked = (size: FieldDeclaration, rule: string) => () => checkDeclaration(pizza(size, rule));
    expect(checked(int32, "self.sise > 1")).toThrow(
      /^checkDeclaration: Pizza of restaurant\.example\.com:\n.*x-kubernetes-validations\[0\]\.rule: .*undefined field 'sise'/,
    );
    expect(checked({ schema: int32, default: 0, minimum: 1 }, "true")).toThrow(/properties\[size\]\.default: /);
    expect(checked({ schema: string, pattern: "(" }, "true")).toThrow(/properties\[size\]\.pattern: /);
  });
});

describe("conversions of a kind defined in code", () => {
  test("A-VER-05: are tested for round trips with suitable objects", async () => {
    const only = { "spec.toppings": (fuzz: Fuzz) => [fuzz.text()] };
    const report = await checkConversions(onlyAlpha(), { seed: 1, iterations: 100, fuzzers: only });
    expect(report.objects).toBe(100);
    const unsorted = { "spec.toppings": () => ["b", "a", "b"] };
    const error = await failureOf(checkConversions(onlyAlpha(), { seed: 1, iterations: 20, fuzzers: unsorted }));
    expect(error.message).toContain('v1alpha1 -> hub -> v1alpha1: changes spec.toppings[1] from "a" to "b"');
  });

  test("A-CONV-03: are tested for not changing their argument", async () => {
    const changing = kind(GROUP, "Pizza", {
      v1beta1,
      v1alpha1: {
        schema: v1beta1,
        conversion: {
          toHub(object) {
            object["spec"] = {};
            return object;
          },
          fromHub: (object) => object,
        },
      },
    });
    const error = await failureOf(checkConversions(changing, { seed: 1, iterations: 20 }));
    expect(error.message).toMatch(/toHub of v1alpha1 changes its argument: it (loses|adds) spec/);
  });
});

/** Pizzas whose only version that a client sees is the older one. */
function onlyAlpha() {
  const hub = v1beta1;
  const [, older] = repeated.declaration.versions;
  const given = older?.conversion;
  return kind(GROUP, "Pizza", { v1alpha1: { schema: v1alpha1, ...(given && { conversion: given }) } }, { hub });
}

async function failureOf(check: Promise<unknown>): Promise<RoundTripError> {
  const error = await check.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(RoundTripError);
  return error as RoundTripError;
}
