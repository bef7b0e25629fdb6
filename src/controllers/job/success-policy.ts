import type { SuccessPolicy, SuccessPolicyRule } from "../../api/types/batch/v1.js";
import { countIndexes, countShared, type Intervals, parseIntervals } from "./index-intervals.js";

/** Why a job of these succeeded indexes has met its policy; undefined when it has not. */
export function metSuccessPolicy(
  policy: SuccessPolicy | undefined,
  completions: number,
  succeeded: Intervals,
): string | undefined {
  if (succeeded.length === 0) return undefined;
  const met = policy?.rules.findIndex((rule) => meetsRule(rule, completions, succeeded)) ?? -1;
  return met < 0 ? undefined : `Matched rules at index ${met}`;
}

function meetsRule({ succeededIndexes, succeededCount }: SuccessPolicyRule, completions: number, done: Intervals) {
  const enough = (count: number): boolean => succeededCount !== undefined && count >= succeededCount;
  if (succeededIndexes === undefined) return enough(countIndexes(done));
  const wanted = parseIntervals(succeededIndexes, completions);
  if (wanted.length === 0) return false;
  const shared = countShared(wanted, done);
  return shared === countIndexes(wanted) || enough(shared);
}
