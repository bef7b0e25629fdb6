import { expect, test } from "vitest";
import { type Evictable, SecondChanceCache } from "../../../../src/server/storage/store/second-chance-cache.js";

class Entry implements Evictable {
  residency: Evictable["residency"] = "out";
  evicted = 0;

  constructor(readonly weight: number) {}

  evict(): void {
    this.evicted++;
  }
}

const entries = (weights: readonly number[]) => weights.map((weight) => new Entry(weight));
const evicted = (all: readonly Entry[]) => all.map((entry) => entry.evicted);

test("the second-chance cache evicts its oldest entries when there is no room", () => {
  const cache = new SecondChanceCache<Entry>(30);
  const all = entries([10, 10, 10, 10, 20]);
  for (const entry of all.slice(0, 3)) cache.touch(entry);
  expect(evicted(all)).toEqual([0, 0, 0, 0, 0]);
  for (const entry of all.slice(3)) cache.touch(entry);
  expect(evicted(all)).toEqual([1, 1, 1, 0, 0]);
});

test("the second-chance cache keeps an entry that was used since the last eviction", () => {
  const cache = new SecondChanceCache<Entry>(30);
  const all = entries([10, 10, 10, 10, 10, 10]);
  const used = all[0] as Entry;
  for (const entry of all) {
    cache.touch(entry);
    cache.touch(used);
  }
  expect(evicted(all)).toEqual([0, 1, 1, 1, 0, 0]);
  const later = entries([10, 10, 10, 10]);
  for (const entry of later) cache.touch(entry);
  expect([used.evicted, ...evicted(later)]).toEqual([1, 1, 0, 0, 0]);
});

test("the second-chance cache keeps an entry larger than its capacity until the next one", () => {
  const cache = new SecondChanceCache<Entry>(5);
  const [heavy, next] = entries([10, 10]) as [Entry, Entry];
  cache.touch(heavy);
  cache.touch(heavy);
  expect(heavy.evicted).toBe(0);
  cache.touch(next);
  expect([heavy.evicted, next.evicted]).toEqual([1, 0]);
});
