import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Job, JobCondition } from "../../api/types/batch/v1.js";
import { formatTime } from "../../machinery/meta/time.js";

export type Conditions = readonly JobCondition[];

/** The type, reason and message of a condition. */
export interface Stated {
  readonly type: JobCondition["type"];
  readonly reason: string;
  readonly message: string;
}

/** The condition that ended the job: Complete or Failed; undefined while it runs. */
export function finishedCondition({ status }: Job): JobCondition | undefined {
  return status?.conditions?.find(
    (condition) => (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True",
  );
}

/** The condition of a type, if it is True. */
export function trueCondition(conditions: Conditions | undefined, type: string): JobCondition | undefined {
  return conditions?.find((condition) => condition.type === type && condition.status === "True");
}

/** `now` in milliseconds. */
export function newCondition({ type, reason, message }: Stated, status: "True" | "False", now: number): JobCondition {
  const time = formatTime(now);
  return {
    type,
    status,
    lastProbeTime: time,
    lastTransitionTime: time,
    ...(reason !== "" && ({ reason } satisfies FieldsOf<JobCondition>)),
    ...(message !== "" && ({ message } satisfies FieldsOf<JobCondition>)),
  };
}

/** Returns the conditions with this one set; the same list when nothing changes. A condition that never existed is not added as false. */
export function withCondition(before: Conditions, stated: Stated, status: "True" | "False", now: number): Conditions {
  const known = before.find(({ type }) => type === stated.type);
  if (known === undefined) return status === "False" ? before : [...before, newCondition(stated, status, now)];
  const { reason = "", message = "" } = known;
  if (known.status === status && reason === stated.reason && message === stated.message) return before;
  return before.map((one) => (one === known ? newCondition(stated, status, now) : one));
}
