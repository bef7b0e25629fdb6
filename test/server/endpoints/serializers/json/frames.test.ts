import { expect, test } from "vitest";
import { LineChunk } from "../../../../../src/server/endpoints/serializers/json/frames.js";
import type { StoredObject } from "../../../../../src/server/storage/store.js";

const stored = (text: string, revision: number): StoredObject =>
  ({ bytes: Buffer.from(text), revision }) as unknown as StoredObject;
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();

const MAP = '{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"b","uid":"u"},"data":{"k":"é"}}';

test("encoding stored objects as watch lines puts the resourceVersion behind the uid, as Go does", () => {
  const chunk = new LineChunk(1000);
  expect(chunk.addStored("ADDED", stored(MAP, 12), 1)).toBe(true);
  expect(chunk.addStored("DELETED", stored(MAP, 9_007_199_254_740_991), 0)).toBe(true);
  const taken = chunk.take();
  expect(text(taken)).toBe(
    `{"type":"ADDED","object":${MAP.replace('"u"', '"u","resourceVersion":"12"')}}\n` +
      `{"type":"DELETED","object":${MAP.replace('"u"', '"u","resourceVersion":"9007199254740991"')}}\n`,
  );
  expect(chunk.length).toBe(0);
});

test("encoding stored objects refuses JSON that is not canonical, and leaves nothing behind", () => {
  const chunk = new LineChunk(1000);
  expect(chunk.addStored("ADDED", stored('{"kind":"A","apiVersion":"v1","metadata":{"name":"\\u0041"}}', 1), 0)).toBe(
    false,
  );
  expect(chunk.length).toBe(0);
});

test("the buffer of watch lines grows for a larger object, and bytes taken before stay unchanged", () => {
  const chunk = new LineChunk(10);
  const lines = Array.from({ length: 40 }, (_, index) => Buffer.from(`${"x".repeat(index)}\n`));
  for (const line of lines.slice(0, 20)) chunk.add(line);
  const first = chunk.take();
  for (const line of lines.slice(20)) chunk.add(line);
  expect(text(first)).toBe(Buffer.concat(lines.slice(0, 20)).toString());
  expect(text(chunk.take())).toBe(Buffer.concat(lines.slice(20)).toString());
});
