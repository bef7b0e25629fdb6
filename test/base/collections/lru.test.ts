import { expect, test } from "vitest";
import { Lru } from "../../../src/base/collections/lru.js";

test("an LRU cache drops the entry that was not used for longest", () => {
  const lru = new Lru<string, number>(2);
  lru.set("a", 1);
  lru.set("b", 2);
  lru.get("a");
  lru.set("c", 3);
  expect([...lru.entries()]).toEqual([
    ["a", 1],
    ["c", 3],
  ]);
});

test("an LRU cache counts an entry that is set twice once", () => {
  const lru = new Lru<string, number>(2);
  for (const value of [1, 2, 3]) lru.set("a", value);
  lru.set("b", 1);
  expect([lru.size, lru.get("a")]).toEqual([2, 3]);
  lru.delete("a");
  expect(lru.get("a")).toBeUndefined();
});
