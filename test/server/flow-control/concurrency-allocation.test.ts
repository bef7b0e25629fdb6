import { describe, expect, test } from "vitest";
import { allocateSeats, type ShareOfSeats } from "../../../src/server/flow-control/concurrency-allocation.js";
import { randomBelow } from "../../../src/base/numbers/random-below.js";
import { seededRandom } from "../../helpers/seeded-random.js";

const level = (target: number, lowest: number, highest: number): ShareOfSeats => ({ target, lowest, highest });

/** By bisection of the proportion, which the description defines and nothing else. */
function bisected(seats: number, levels: readonly ShareOfSeats[]): readonly number[] {
  const at = (proportion: number) =>
    levels.map(({ target, lowest, highest }) =>
      Math.min(highest, Math.max(lowest, proportion * Math.max(target, 0.001))),
    );
  let [low, high] = [0, 1e9];
  for (let step = 0; step < 200; step++) {
    const middle = (low + high) / 2;
    if (at(middle).reduce((sum, one) => sum + one, 0) < seats) low = middle;
    else high = middle;
  }
  return at(high);
}

describe("dividing the concurrency seats among priority levels", () => {
  test.each<[string, number, readonly ShareOfSeats[], readonly number[]]>([
    ["nothing for nobody", 0, [level(0, 0, 10)], [0]],
    ["in proportion to the targets", 30, [level(10, 0, 100), level(20, 0, 100)], [10, 20]],
    ["more than the targets where seats are left", 60, [level(10, 0, 100), level(20, 0, 100)], [20, 40]],
    ["a level that is full leaves the rest to the others", 60, [level(10, 0, 12), level(20, 0, 100)], [12, 48]],
    ["a level keeps its lowest", 30, [level(20, 20, 100), level(40, 0, 100)], [20, 10]],
    ["the lowest bounds alone", 25, [level(20, 20, 100), level(40, 5, 100)], [20, 5]],
    ["the highest bounds alone", 25, [level(20, 1, 15), level(40, 5, 10)], [15, 10]],
    ["levels without demand share evenly", 30, [level(0, 0, 100), level(0, 0, 100)], [15, 15]],
    ["two full and one left", 100, [level(10, 0, 10), level(10, 5, 20), level(1, 0, 200)], [10, 20, 70]],
  ])("gives %s", (_, seats, levels, expected) => {
    for (const [index, one] of allocateSeats(seats, levels).seats.entries())
      expect(one).toBeCloseTo(expected[index] ?? -1, 6);
  });

  test.each<[string, number, readonly ShareOfSeats[], number]>([
    ["by which targets are multiplied", 60, [level(10, 0, 12), level(20, 0, 100)], 2.4],
    ["of the least lower bound where nothing else is left", 25, [level(20, 20, 100), level(40, 5, 100)], 0.125],
    ["of the greatest upper bound where all are full", 25, [level(20, 1, 15), level(40, 5, 10)], 0.75],
  ])("answers as proportion that %s", (_, seats, levels, expected) => {
    expect(allocateSeats(seats, levels).proportion).toBeCloseTo(expected, 6);
  });

  test("gives for 200 random problems the result of a bisection", () => {
    const random = seededRandom("seats");
    const below = (limit: number): number => randomBelow(random, limit);
    for (let round = 0; round < 200; round++) {
      const levels = Array.from({ length: 1 + below(8) }, () => {
        const lowest = below(50);
        const highest = lowest + below(200);
        return level(lowest + below(100), lowest, highest);
      });
      const least = levels.reduce((sum, { lowest }) => sum + lowest, 0);
      const most = levels.reduce((sum, { highest }) => sum + highest, 0);
      const seats = least + below(most - least + 1);
      const allocated = allocateSeats(seats, levels).seats;
      const expected = bisected(seats, levels);
      expect(allocated.reduce((sum, one) => sum + one, 0)).toBeCloseTo(seats, 4);
      for (const [index, one] of allocated.entries()) expect(one).toBeCloseTo(expected[index] ?? -1, 3);
    }
  });

  test.each<[string, number, readonly ShareOfSeats[]]>([
    ["lower bounds sum to 30, which is more than 20", 20, [level(30, 30, 40)]],
    ["upper bounds sum to 40, which is less than 50", 50, [level(30, 30, 40)]],
    ["target 10 is below its lower bound 30", 35, [level(10, 30, 40)]],
  ])("refuses invalid input: %s", (message, seats, levels) => {
    expect(() => allocateSeats(seats, levels)).toThrow(message);
  });
});
