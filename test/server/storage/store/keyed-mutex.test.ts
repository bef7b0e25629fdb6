import { expect, test } from "vitest";
import { deferred } from "../../../../src/base/async/deferred.js";
import { systemTimers } from "../../../../src/base/time/timers.js";
import { KeyedMutex } from "../../../../src/server/storage/store/keyed-mutex.js";

test("a keyed mutex runs work of one key in order, even after a failure, and other keys do not wait", async () => {
  const mutex = new KeyedMutex(systemTimers);
  const log: string[] = [];
  const first = deferred<void>();
  const one = mutex.run("a", async () => {
    log.push("a1 begins");
    await first.promise;
    log.push("a1 fails");
    throw new Error("no");
  });
  const two = mutex.run("a", async () => {
    log.push("a2");
    return 2;
  });
  const three = mutex.run("a", async () => {
    log.push("a3");
    return 3;
  });
  expect(await mutex.run("b", async () => "b")).toBe("b");
  expect(log).toEqual(["a1 begins"]);
  first.resolve();
  await expect(one).rejects.toThrow("no");
  expect(await Promise.all([two, three])).toEqual([2, 3]);
  expect(log).toEqual(["a1 begins", "a1 fails", "a2", "a3"]);
  expect(await mutex.run("a", async () => "again")).toBe("again");
});

test("a keyed mutex stops waiting for work that takes too long, and keeps the order of the rest", async () => {
  const waits: (() => void)[] = [];
  const mutex = new KeyedMutex({
    start: (_, callback) => {
      waits.push(callback);
      return () => undefined;
    },
  });
  const log: string[] = [];
  const held = deferred<void>();
  const step = (name: string, until?: Promise<void>) => async () => {
    log.push(`${name} begins`);
    await until;
    log.push(`${name} ends`);
  };
  const one = mutex.run("a", step("a1", held.promise));
  const two = mutex.run("a", step("a2"));
  const three = mutex.run("a", step("a3"));
  await expect.poll(() => waits.length).toBe(1);
  expect(log).toEqual(["a1 begins"]);
  waits[0]?.();
  await Promise.all([two, three]);
  held.resolve();
  await one;
  expect(log).toEqual(["a1 begins", "a2 begins", "a2 ends", "a3 begins", "a3 ends", "a1 ends"]);
});
