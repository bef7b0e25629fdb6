import { describe, expect, it } from "vitest";
import { humanDuration } from "../../../../src/machinery/text/duration/human-duration.js";

const [minute, hour, day, year] = [60, 3600, 86_400, 365 * 86_400];

describe("printing a duration as kubectl does", () => {
  it.each([
    [-2, "<invalid>"],
    [-1, "0s"],
    [0, "0s"],
    [119, "119s"],
    [2 * minute, "2m"],
    [9 * minute + 59, "9m59s"],
    [10 * minute + 59, "10m"],
    [3 * hour - 1, "179m"],
    [3 * hour, "3h"],
    [7 * hour + 30 * minute, "7h30m"],
    [47 * hour, "47h"],
    [2 * day, "2d"],
    [3 * day + 4 * hour, "3d4h"],
    [8 * day + 4 * hour, "8d"],
    [2 * year - 1, "729d"],
    [2 * year + day, "2y1d"],
    [8 * year + day, "8y"],
  ])("prints %i seconds as %s", (seconds, human) => {
    expect(humanDuration(seconds * 1000)).toBe(human);
  });
});
