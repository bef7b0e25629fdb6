import { describe, expect, test } from "vitest";
import {
  countIndexes,
  countShared,
  firstFreeIndexes,
  formatIntervals,
  hasIndex,
  intervalsOf,
  mergeIntervals,
  parseIntervals,
} from "../../../src/controllers/job/index-intervals.js";

describe("the compact text of a Job's completed indexes", () => {
  test.each([
    ["none", "", 10, "", 0],
    ["one", "0", 10, "0", 1],
    ["two neighbours have a comma", "3,4", 10, "3,4", 2],
    ["three neighbours have a hyphen", "3,4,5", 10, "3-5", 3],
    ["a range and single ones", "1,3-5,7", 10, "1,3-5,7", 5],
    ["ranges that touch become one", "0-2,3-5", 10, "0-5", 6],
    ["a range is cut at the completions", "0-20", 5, "0-4", 5],
    ["indexes from the completions on are left out", "1,5-7", 5, "1", 1],
    ["what is no number is passed over", "1,x,3", 10, "1,3", 2],
    ["a range of what is no number is passed over", "1,2-y,4", 10, "1,4", 2],
    ["a range that ends before it begins is passed over", "5-3,7", 10, "7", 1],
  ])("is parsed: %s", (_, written, completions, formatted, count) => {
    const intervals = parseIntervals(written, completions);
    expect(formatIntervals(intervals)).toBe(formatted);
    expect(countIndexes(intervals)).toBe(count);
  });

  test.each([
    ["unordered indexes", [5, 1, 3, 4], "1,3-5"],
    ["the same index twice", [2, 2], "2"],
    ["none", [], ""],
  ])("is written for %s", (_, indexes, formatted) => {
    expect(formatIntervals(intervalsOf(indexes))).toBe(formatted);
  });

  test.each([
    ["one in a gap", "0,2", "1", "0-2"],
    ["overlapping ranges", "0-4", "3-8", "0-8"],
    ["apart", "0-1", "5", "0,1,5"],
    ["one inside the other", "0-9", "4-5", "0-9"],
  ])("is merged with new indexes: %s", (_, one, other, merged) => {
    expect(formatIntervals(mergeIntervals(parseIntervals(one, 20), parseIntervals(other, 20)))).toBe(merged);
  });

  test.each([
    ["0-4", "3-8", 2],
    ["0,2,4", "0-4", 3],
    ["0-1", "2-3", 0],
    ["0-9", "1,3,5-6", 4],
  ])("%s and %s have %i indexes in common", (one, other, shared) => {
    expect(countShared(parseIntervals(one, 20), parseIntervals(other, 20))).toBe(shared);
  });

  test.each([
    ["", 3, 10, [0, 1, 2]],
    ["0-2", 2, 10, [3, 4]],
    ["1,3", 3, 10, [0, 2, 4]],
    ["0-9", 3, 10, []],
    ["0,2", 5, 4, [1, 3]],
    ["0-3,8", 9, 6, [4, 5]],
  ])("with %j used has as first %i free ones below %i: %j", (taken, count, completions, free) => {
    expect(firstFreeIndexes(parseIntervals(taken, 20), count, completions)).toEqual(free);
  });

  test.each([
    [3, true],
    [5, true],
    [6, false],
    [0, false],
  ])("3-5 contains %i: %s", (index, has) => {
    expect(hasIndex(parseIntervals("3-5", 10), index)).toBe(has);
  });
});
