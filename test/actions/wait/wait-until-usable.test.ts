import { expect, test } from "vitest";
import { waitUntilServed } from "../../../src/actions/wait/wait-until-usable.js";
import type { GroupKind } from "../../../src/machinery/meta/gvk.js";
import { NoKindMatchError, type RestMapper } from "../../../src/machinery/rest-mapper.js";

const CART: GroupKind = { group: "shop.example.com", kind: "Cart" };
const BILL: GroupKind = { group: "shop.example.com", kind: "Bill" };

/** A server that lists a kind after it was asked anew so many times. */
function serving(after: ReadonlyMap<GroupKind, number>): { mapper: RestMapper; asked: () => number } {
  let asked = 0;
  const mapper = {
    refresh: () => void (asked += 1),
    mappingFor: async (kind: GroupKind) => {
      if (asked <= (after.get(kind) ?? 0)) throw new NoKindMatchError(kind);
      return {
        resource: { ...CART, version: "v1", resource: "carts" },
        kind: { ...CART, version: "v1" },
        namespaced: true,
      };
    },
    resourceFor: () => Promise.reject(new Error("not asked for")),
    kindFor: () => Promise.reject(new Error("not asked for")),
    resourcesFor: () => Promise.reject(new Error("not asked for")),
    preferredResourceFor: () => Promise.reject(new Error("not asked for")),
    category: () => Promise.reject(new Error("not asked for")),
  };
  return { mapper, asked: () => asked };
}

const never = new AbortController().signal;

test("waiting until a new kind is usable repeats the request, made anew each time, until the server serves the kind", async () => {
  const { mapper, asked } = serving(
    new Map([
      [CART, 1],
      [BILL, 2],
    ]),
  );
  let slept = 0;
  await waitUntilServed([CART, BILL], mapper, { deadline: never, sleep: async () => void (slept += 1) });
  expect({ asked: asked(), slept }).toEqual({ asked: 3, slept: 2 });
});

test("waiting until a new kind is usable ends at its deadline with an error that names the kind", async () => {
  const { mapper } = serving(new Map([[BILL, 99]]));
  const waiting = waitUntilServed([CART, BILL], mapper, {
    deadline: AbortSignal.abort(),
    sleep: async () => undefined,
  });
  await expect(waiting).rejects.toThrow("timed out waiting for the server to list the kind Bill");
});

test("waiting until a new kind is usable throws any error other than a missing kind at once", async () => {
  const { mapper } = serving(new Map());
  const refused = { ...mapper, mappingFor: () => Promise.reject(new Error("connection refused")) };
  await expect(waitUntilServed([CART], refused, { deadline: never, sleep: async () => undefined })).rejects.toThrow(
    "refused",
  );
});
