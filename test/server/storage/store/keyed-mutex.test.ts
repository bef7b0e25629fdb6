import { expect, test } from "vitest";
import { deferred } from "../../../../src/base/deferred.js";
import { KeyedMutex } from "../../../../src/server/storage/store/keyed-mutex.js";

test("work of one key runs in order, even after a failure; other keys do not wait", async () => {
  const mutex = new KeyedMutex();
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
