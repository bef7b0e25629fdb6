import { expect, test } from "vitest";
import { type FrameKey, RecentFrames } from "../../../../src/server/endpoints/serializers/recent-frames.js";
import type { ServedResource } from "../../../../src/server/endpoints/served-resource.js";
import type { StoredObject } from "../../../../src/server/storage/store.js";

const served = (removed: AbortSignal = new AbortController().signal): ServedResource => ({ removed }) as ServedResource;
const pods = served();
const object = (): StoredObject => ({}) as StoredObject;
const added: FrameKey = {
  resource: pods,
  type: "ADDED",
  format: { mediaType: "application/json", shape: "object", metaVersion: "v1" },
};

/** Answers frames of ten bytes and counts them. */
function maker() {
  let count = 0;
  return { make: () => Buffer.alloc(10, String(count++)), count: () => count };
}

test("a watch event is encoded once for all watches of one form", () => {
  const frames = new RecentFrames(1000);
  const { make, count } = maker();
  const stored = object();
  expect(frames.get(stored, { ...added }, make)).toBe(frames.get(stored, { ...added }, make));
  expect(count()).toBe(1);
});

test("a watch event is encoded again for another type, media type, shape, version or resource", () => {
  const frames = new RecentFrames(1000);
  const { make, count } = maker();
  const stored = object();
  const keys: FrameKey[] = [
    added,
    { ...added, type: "DELETED" },
    { ...added, resource: served() },
    { ...added, format: { ...added.format, mediaType: "application/vnd.kubernetes.protobuf" } },
    { ...added, format: { ...added.format, shape: "PartialObjectMetadata" } },
    { ...added, format: { ...added.format, shape: "PartialObjectMetadata", metaVersion: "v1beta1" } },
  ];
  for (const key of keys) frames.get(stored, key, make);
  expect(count()).toBe(keys.length);
});

test("the cache of encoded watch events drops the oldest when it is too large", () => {
  const frames = new RecentFrames(25);
  const { make, count } = maker();
  const [first, second, third] = [object(), object(), object()];
  for (const stored of [first, second, third]) frames.get(stored, added, make);
  frames.get(third, added, make);
  frames.get(second, added, make);
  expect(count()).toBe(3);
  frames.get(first, added, make);
  expect(count()).toBe(4);
});

test("the cache of encoded watch events forgets a removed resource", () => {
  const removal = new AbortController();
  const frames = new RecentFrames(1000);
  const { make, count } = maker();
  const stored = object();
  const key = { ...added, resource: served(removal.signal) };
  const kept = frames.get(stored, added, make);
  frames.get(stored, key, make);
  removal.abort();
  frames.get(stored, key, make);
  frames.get(stored, key, make);
  expect([frames.get(stored, added, make) === kept, count()]).toEqual([true, 4]);
});
