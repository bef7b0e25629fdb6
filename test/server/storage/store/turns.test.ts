import { expect, test } from "vitest";
import { deferred } from "../../../../src/base/deferred.js";
import { Turns } from "../../../../src/server/storage/store/turns.js";

test("turns of one key follow each other, whatever comes of them; other keys do not wait", async () => {
  const turns = new Turns();
  const log: string[] = [];
  const first = deferred<void>();
  const one = turns.take("a", async () => {
    log.push("a1 begins");
    await first.promise;
    log.push("a1 fails");
    throw new Error("no");
  });
  const two = turns.take("a", async () => {
    log.push("a2");
    return 2;
  });
  const three = turns.take("a", async () => {
    log.push("a3");
    return 3;
  });
  expect(await turns.take("b", async () => "b")).toBe("b");
  expect(log).toEqual(["a1 begins"]);
  first.resolve();
  await expect(one).rejects.toThrow("no");
  expect(await Promise.all([two, three])).toEqual([2, 3]);
  expect(log).toEqual(["a1 begins", "a1 fails", "a2", "a3"]);
  expect(await turns.take("a", async () => "again")).toBe("again");
});
