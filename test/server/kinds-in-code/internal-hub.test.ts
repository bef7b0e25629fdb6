import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import {
  conversion,
  int32,
  invalidValue,
  kind,
  list,
  registerStorage,
  schemeOf,
  startServer,
  string,
  struct,
} from "../../../src/cluster/server.js";
import type { RunningServer } from "../../../src/cluster/running-server.js";
import { openMemoryKv } from "../../../src/server/storage/memory/memory-kv.js";
import { type Answer, call } from "../../helpers/api-caller.js";
import { lend } from "../../model/lent-kv.js";

const GROUP = "restaurant.example.com";

const topping = struct("PizzaTopping", { name: { schema: string, required: true }, quantity: int32 });
const counted = struct("PizzaSpec", { toppings: list(topping) });
const internal = struct("Pizza", { spec: counted, status: struct("PizzaStatus", { cost: int32 }) });
const v1beta1 = struct("Pizza", { spec: counted, status: struct("PizzaStatus", { cost: int32 }) });
const v1alpha1 = struct("Pizza", {
  spec: struct("PizzaSpec", { toppings: list(string) }),
  status: struct("PizzaStatus", { cost: int32 }),
});

const seen: string[] = [];

/** The pizzas of a restaurant: logic knows counted toppings, the older version repeats their names. */
const pizzasStoredAs = (storageVersion: "v1alpha1" | "v1beta1") =>
  kind(
    GROUP,
    "Pizza",
    {
      v1alpha1: {
        schema: v1alpha1,
        conversion: conversion(v1alpha1, internal, {
          toHub({ spec, status }) {
            const quantities = new Map<string, number>();
            for (const name of spec?.toppings ?? []) quantities.set(name, (quantities.get(name) ?? 0) + 1);
            const toppings = [...quantities].map(([name, quantity]) => ({ name, quantity }));
            return { spec: spec && { toppings: spec.toppings && toppings }, status };
          },
          fromHub: ({ spec, status }) => ({
            spec: spec && {
              toppings: spec.toppings?.flatMap(({ name, quantity }) => Array<string>(quantity ?? 1).fill(name)),
            },
            status,
          }),
        }),
      },
      v1beta1: {
        schema: v1beta1,
        conversion: conversion(v1beta1, internal, {
          toHub: ({ spec, status }) => ({ spec, status }),
          fromHub: ({ spec, status }) => ({ spec, status }),
        }),
      },
    },
    {
      hub: internal,
      storageVersion,
      validate(pizza) {
        expectTypeOf(pizza.apiVersion).toEqualTypeOf<"restaurant.example.com/__internal" | undefined>();
        seen.push(pizza.apiVersion ?? "");
        const { toppings = [] } = pizza.spec ?? {};
        return toppings.flatMap(({ name, quantity = 1 }, index) =>
          quantity > 3 ? [invalidValue(`spec.toppings[${index}].quantity`, quantity, `too much ${name}`)] : [],
        );
      },
    },
  );

const pizzas = pizzasStoredAs("v1alpha1");

let server: RunningServer;
const kv = openMemoryKv();
registerStorage("pizza-box", { open: () => Promise.resolve(lend(kv)) });
beforeAll(async () => {
  server = await startServer({ port: false, resources: [pizzas], storage: "pizza-box://x" });
});
afterAll(async () => {
  await server.close();
  await kv.close();
});

const path = (version: string, name = ""): string =>
  `/apis/${GROUP}/${version}/namespaces/default/pizzas${name === "" ? "" : `/${name}`}`;
const create = (version: string, name: string, toppings: unknown): Promise<Answer> =>
  call(server.transport(), "POST", path(version), {
    apiVersion: `${GROUP}/${version}`,
    kind: "Pizza",
    metadata: { name },
    spec: { toppings },
  });

async function storedBytes(name: string): Promise<string> {
  const { kv: stored } = await kv.get(`/registry/${GROUP}/pizzas/default/${name}`);
  return Buffer.from(stored?.value ?? []).toString();
}

describe("a kind defined in code with an internal version of its own type", () => {
  test("A-VER-01, B-VER-01: shows the internal version to its functions, and to no client", async () => {
    const made = await create("v1alpha1", "seen", ["mozzarella", "tomato", "mozzarella"]);
    expect([made.status, made.at("apiVersion")]).toEqual([201, `${GROUP}/v1alpha1`]);
    expect(new Set(seen)).toEqual(new Set([`${GROUP}/__internal`]));
    const group = await call(server.transport(), "GET", `/apis/${GROUP}`);
    expect(group.text).not.toContain("__internal");
    expect((await call(server.transport(), "GET", path("__internal", "seen"))).status).toBe(404);
    const refused = await create("v1alpha1", "refused", ["a", "a", "a", "a"]);
    expect(refused.at("details.causes.0")).toEqual({
      reason: "FieldValueInvalid",
      message: "Invalid value: 4: too much a",
      field: "spec.toppings[0].quantity",
    });
  });

  test("B-VER-03, B-VER-05, B-VER-09: is stored in the storage version and shown in any", async () => {
    await create("v1beta1", "both", [
      { name: "mozzarella", quantity: 2 },
      { name: "tomato", quantity: 1 },
    ]);
    expect(await storedBytes("both")).toMatch(
      /^\{"kind":"Pizza","apiVersion":"restaurant.example.com\/v1alpha1",.*"spec":\{"toppings":\["mozzarella","mozzarella","tomato"\]\}/,
    );
    const [alpha, beta] = await Promise.all(
      ["v1alpha1", "v1beta1"].map((version) => call(server.transport(), "GET", path(version, "both"))),
    );
    expect(alpha?.at("spec.toppings")).toEqual(["mozzarella", "mozzarella", "tomato"]);
    expect(beta?.at("spec.toppings")).toEqual([
      { name: "mozzarella", quantity: 2 },
      { name: "tomato", quantity: 1 },
    ]);
    const listed = await call(server.transport(), "GET", path("v1beta1"));
    expect(listed.text).not.toContain("__internal");
    expect(listed.at("items.0.spec.toppings")).toEqual(beta?.at("spec.toppings"));
  });

  test("B-VER-10: has patches, status writes and apply converted to the internal version, where generations count changes", async () => {
    await create("v1alpha1", "patched", ["a"]);
    const merge = { type: "application/merge-patch+json" };
    const patched = await call(
      server.transport(),
      "PATCH",
      path("v1beta1", "patched"),
      { spec: { toppings: [{ name: "b", quantity: 2 }] } },
      merge,
    );
    expect([patched.status, patched.at("metadata.generation")]).toEqual([200, 2]);
    const status = await call(
      server.transport(),
      "PATCH",
      `${path("v1alpha1", "patched")}/status`,
      { status: { cost: 7 } },
      merge,
    );
    expect([status.status, status.at("metadata.generation"), status.at("spec.toppings")]).toEqual([200, 2, ["b", "b"]]);
    const applied = await call(
      server.transport(),
      "PATCH",
      `${path("v1beta1", "patched")}?fieldManager=cook&force=true`,
      { apiVersion: `${GROUP}/v1beta1`, kind: "Pizza", spec: { toppings: [{ name: "c", quantity: 1 }] } },
      { type: "application/apply-patch+yaml" },
    );
    expect([applied.status, applied.at("status.cost"), applied.at("spec.toppings.0.name")]).toEqual([200, 7, "c"]);
  });

  test("A-VER-01: has the internal version in its scheme, through which versions convert", () => {
    const scheme = schemeOf(pizzas);
    const pizza = { apiVersion: `${GROUP}/v1alpha1`, kind: "Pizza", spec: { toppings: ["a", "a"] } };
    expect(scheme.convert(pizza, { group: GROUP, version: "v1beta1" })).toMatchObject({
      spec: { toppings: [{ name: "a", quantity: 2 }] },
    });
    expect(scheme.kind({ group: GROUP, version: "v1beta1", kind: "Pizza" }).hub.version).toBe("__internal");
  });

  test("B-VER-06: is read from another storage version, and rewritten at its first change", async () => {
    await create("v1alpha1", "kept", ["a", "a"]);
    const before = await storedBytes("kept");
    await server.close();
    server = await startServer({
      port: false,
      resources: [pizzasStoredAs("v1beta1")],
      storage: "pizza-box://x",
    });
    const shown = await call(server.transport(), "GET", path("v1beta1", "kept"));
    expect(shown.at("spec.toppings")).toEqual([{ name: "a", quantity: 2 }]);
    expect(await storedBytes("kept")).toBe(before);
    const labelled = { metadata: { labels: { new: "yes" } } };
    const type = "application/merge-patch+json";
    const changed = await call(server.transport(), "PATCH", path("v1alpha1", "kept"), labelled, { type });
    expect([changed.status, changed.at("spec.toppings")]).toEqual([200, ["a", "a"]]);
    expect(await storedBytes("kept")).toMatch(
      /"apiVersion":"restaurant.example.com\/v1beta1",.*"spec":\{"toppings":\[\{"name":"a","quantity":2\}\]\}/,
    );
  });

  test("needs a conversion for every version", async () => {
    const incomplete = kind(GROUP, "Pizza", { v1beta1, v1alpha1 }, { hub: internal });
    await expect(startServer({ port: false, resources: [incomplete] })).rejects.toThrow(
      "version v1beta1 has another schema than the hub; give it a conversion",
    );
  });
});
