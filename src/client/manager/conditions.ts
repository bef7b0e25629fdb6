import type { Condition } from "../../api/types/meta/v1.js";
import { surroundingsOf } from "../surroundings.js";

/** A condition as a controller decides it: the time of its last transition follows. */
export type DecidedCondition = Omit<Condition, "lastTransitionTime">;

/**
 * The conditions with one of them added, or changed where its type is there (apimachinery's meta.SetStatusCondition). The time of the
 * transition is that of `now`, milliseconds since the epoch, where the status changes, and stays where it does not. The given list is not
 * changed; it is returned itself where nothing differs, so that a controller can leave out the write.
 */
export function setCondition(
  conditions: Condition[] = [],
  decided: DecidedCondition,
  now: number = surroundingsOf({}).clock.now(),
): Condition[] {
  const before = conditions.find(({ type }) => type === decided.type);
  const lastTransitionTime =
    before?.status === decided.status ? before.lastTransitionTime : `${new Date(now).toISOString().slice(0, 19)}Z`;
  const after: Condition = { ...decided, lastTransitionTime };
  if (before === undefined) return [...conditions, after];
  const isSame =
    before.status === after.status &&
    before.reason === after.reason &&
    before.message === after.message &&
    before.observedGeneration === after.observedGeneration;
  return isSame ? conditions : conditions.map((one) => (one === before ? after : one));
}
