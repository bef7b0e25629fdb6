import { expect, test } from "vitest";
import { type CollectableMemory, collectWhenIdle, v8Memory } from "../../src/cluster/idle-memory.js";
import type { ApiRequest } from "../../src/server/request/api-request.js";
import { ManualTime } from "../helpers/manual-time.js";

const MB = 2 ** 20;

/** A heap of `used` bytes in `reserved` ones, which are never fewer; a collection leaves `live` of both. */
function heap(live: number): CollectableMemory & { used: number; reserved: number; collections: number } {
  return {
    used: live,
    reserved: live,
    collections: 0,
    usage() {
      return { heapUsed: this.used, heapTotal: Math.max(this.used, this.reserved), external: 0 };
    },
    async collect() {
      this.collections++;
      this.used = live;
      this.reserved = live;
    },
  };
}

function idleServer(live = 20 * MB) {
  const memory = heap(live);
  const time = new ManualTime();
  const { filter, stop } = collectWhenIdle(memory, time);
  const handler = filter(async () => {});
  return { memory, time, stop, request: () => handler({} as ApiRequest) };
}

test("a grown heap is collected once when no request has begun for two seconds", async () => {
  const { memory, time, request } = idleServer();
  await request();
  memory.used = 100 * MB;
  time.pass(2000);
  expect(memory.collections).toBe(1);
  time.pass(60_000);
  expect(memory.collections).toBe(1);
});

test("an idle server's heap is collected again when V8 has not returned its memory", async () => {
  const { memory, time, request } = idleServer();
  await request();
  memory.reserved = 100 * MB;
  time.pass(2000);
  expect(memory.collections).toBe(1);
});

test("continuous requests postpone an idle server's garbage collection", async () => {
  const { memory, time, request } = idleServer();
  memory.used = 100 * MB;
  for (let second = 0; second < 10; second++) {
    await request();
    time.pass(1000);
  }
  expect(memory.collections).toBe(0);
  time.pass(3000);
  expect(memory.collections).toBe(1);
});

test("an idle server leaves a heap that has grown by less than 48 MB to V8", async () => {
  const { memory, time, request } = idleServer();
  await request();
  memory.used = 60 * MB;
  time.pass(10_000);
  expect(memory.collections).toBe(0);
});

test("an idle server leaves a heap above 256 MB to V8, whose collection would hold the event loop for too long", async () => {
  const { memory, time, request } = idleServer();
  await request();
  memory.used = 300 * MB;
  time.pass(10_000);
  expect(memory.collections).toBe(0);
});

test("a server that has stopped starts no timer for garbage collection", async () => {
  const { memory, time, stop, request } = idleServer();
  await request();
  memory.used = 100 * MB;
  stop();
  await request();
  time.pass(10_000);
  expect(memory.collections).toBe(0);
});

test("a runtime without a garbage collection function keeps working", async () => {
  const memory = { ...heap(20 * MB), collect: () => Promise.reject(new Error("gc is not defined")) };
  const time = new ManualTime();
  const { filter } = collectWhenIdle(memory, time);
  await filter(async () => {})({} as ApiRequest);
  memory.used = 100 * MB;
  time.pass(2000);
  // An unhandled rejection would fail the run.
  await new Promise(setImmediate);
});

test("V8 frees garbage when the server asks for a collection", async () => {
  let garbage: unknown = Array.from({ length: 1_000_000 }, (_, index) => ({ index }));
  const full = v8Memory.usage().heapUsed;
  expect(garbage).toHaveLength(1_000_000);
  garbage = undefined;
  await v8Memory.collect();
  expect(full - v8Memory.usage().heapUsed).toBeGreaterThan(20 * MB);
});
