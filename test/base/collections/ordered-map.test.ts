import fc from "fast-check";
import { expect, test } from "vitest";
import { compareKeys, prefixEnd } from "../../../src/base/collections/key-order.js";
import { OrderedMap } from "../../../src/base/collections/ordered-map.js";

const key = fc.oneof(fc.string({ maxLength: 3 }), fc.integer({ max: 200, min: 0 }).map(String));
const change = fc.record({ key, remove: fc.boolean() });

test("an ordered map sorts its keys as their UTF-8 bytes", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.string({ unit: "binary" }), (a, b) => {
      expect(Math.sign(compareKeys(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
  expect(compareKeys("\u{1F600}", "\uFB00")).toBeGreaterThan(0);
});

test("an ordered map keeps the order of its keys after any changes, and a change leaves older versions of the map as they were", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), key, (changes, probe) => {
      const model = new Map<string, number>();
      let map = OrderedMap.empty<number>();
      const kept: { map: OrderedMap<number>; entries: [string, number][] }[] = [];
      for (const [index, { key, remove }] of changes.entries()) {
        if (remove) model.delete(key);
        else model.set(key, index);
        map = remove ? map.delete(key) : map.set(key, index);
        if (index % 50 === 0) kept.push({ map, entries: sorted(model) });
      }
      kept.push({ map, entries: sorted(model) });
      for (const { map, entries } of kept) {
        expect(entriesOf(map, "")).toEqual(entries);
        expect(map.size).toBe(entries.length);
        expect(map.rank(probe)).toBe(entries.filter(([key]) => compareKeys(key, probe) < 0).length);
        expect(map.get(probe)).toBe(new Map(entries).get(probe));
        const below = entries.filter(([key]) => key.startsWith(probe));
        expect(entriesOf(map, probe)).toEqual(below);
        expect(map.rank(prefixEnd(probe)) - map.rank(probe)).toBe(below.length);
        const values = below.map(([, value]) => value);
        expect(map.values(probe, prefixEnd(probe), Number.POSITIVE_INFINITY)).toEqual(values);
        expect(map.values(probe, prefixEnd(probe), 2)).toEqual(values.slice(0, 2));
      }
    }),
  );
});

test("an ordered map stays balanced when many keys are added in any order", () => {
  let map = OrderedMap.empty<number>();
  for (let n = 0; n < 20_000; n++) map = map.set(String((n * 7919) % 20_000).padStart(5, "0"), n);
  for (let n = 0; n < 20_000; n += 2) map = map.delete(String(n).padStart(5, "0"));
  expect(map.size).toBe(10_000);
  expect(map.rank("10000")).toBe(5_000);
  expect(map.values("00100", "00200", 1000)).toHaveLength(50);
  expect(map.values("", "\u{10FFFF}", 9_999)).toHaveLength(9_999);
});

function sorted(model: Map<string, number>): [string, number][] {
  return [...model].sort(([a], [b]) => compareKeys(a, b));
}

function entriesOf(map: OrderedMap<number>, prefix: string): [string, number][] {
  const found: [string, number][] = [];
  map.scan(prefix, (key, value) => {
    if (!key.startsWith(prefix)) return false;
    found.push([key, value]);
    return true;
  });
  return found;
}
