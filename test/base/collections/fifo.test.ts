import { expect, test } from "vitest";
import { Fifo } from "../../../src/base/collections/fifo.js";

test("a FIFO queue returns items in the order in which they were added, also while others are added", () => {
  const fifo = new Fifo<number>();
  const taken: (number | undefined)[] = [];
  let next = 0;
  // Longer by one each round: what is taken is given up on the way.
  for (let round = 0; round < 3000; round++) {
    fifo.push(next++);
    fifo.push(next++);
    taken.push(fifo.shift());
  }
  expect(fifo.length).toBe(3000);
  while (fifo.length > 0) taken.push(fifo.shift());
  expect(taken).toEqual(Array.from({ length: next }, (_, index) => index));
  expect(fifo.shift()).toBeUndefined();
  fifo.push(7);
  expect([fifo.shift(), fifo.length]).toEqual([7, 0]);
});
