import { expect, test } from "vitest";
import { type LineKey, RecentLines } from "../../../../src/server/endpoints/representation/recent-lines.js";
import type { ServedResource } from "../../../../src/server/endpoints/served-resource.js";
import type { StoredObject } from "../../../../src/server/storage/store.js";

const pods = {} as ServedResource;
const object = (): StoredObject => ({}) as StoredObject;
const added: LineKey = { resource: pods, type: "ADDED", format: { shape: "object", metaVersion: "v1" } };

/** Answers lines of ten bytes and counts them. */
function maker() {
  let count = 0;
  return { make: () => Buffer.alloc(10, String(count++)), count: () => count };
}

test("a line is made once for all who watch alike", () => {
  const lines = new RecentLines(1000);
  const { make, count } = maker();
  const stored = object();
  expect(lines.get(stored, { ...added }, make)).toBe(lines.get(stored, { ...added }, make));
  expect(count()).toBe(1);
});

test("another type, shape, version or resource is another line", () => {
  const lines = new RecentLines(1000);
  const { make, count } = maker();
  const stored = object();
  const keys: LineKey[] = [
    added,
    { ...added, type: "DELETED" },
    { ...added, resource: {} as ServedResource },
    { ...added, format: { shape: "PartialObjectMetadata", metaVersion: "v1" } },
    { ...added, format: { shape: "PartialObjectMetadata", metaVersion: "v1beta1" } },
  ];
  for (const key of keys) lines.get(stored, key, make);
  expect(count()).toBe(keys.length);
});

test("the oldest go when there are too many bytes", () => {
  const lines = new RecentLines(25);
  const { make, count } = maker();
  const [first, second, third] = [object(), object(), object()];
  for (const stored of [first, second, third]) lines.get(stored, added, make);
  lines.get(third, added, make);
  lines.get(second, added, make);
  expect(count()).toBe(3);
  lines.get(first, added, make);
  expect(count()).toBe(4);
});
