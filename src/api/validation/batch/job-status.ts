import { duplicate, type FieldError, invalidValue, required } from "../../../machinery/errors/field-error.js";
import {
  absent,
  list,
  number,
  object,
  objects,
  type Received,
  type ReceivedObject,
  text,
} from "../../../machinery/meta/received.js";
import type { Job, JobSpec, JobStatus, UncountedTerminatedPods } from "../../types/batch/v1.js";
import { checkNonNegative, type Errors } from "../collect.js";
import { goJson } from "../go-shapes.js";
import { sameValue } from "../rules.js";
import { countIndexes, firstSharedIndex } from "./index-intervals.js";

type Condition = "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended";

/** A job whose status is changed, as the rules see it: one side of the change. */
interface Side {
  readonly spec: Received<JobSpec>;
  readonly status: Received<JobStatus>;
  readonly has: (condition: Condition) => boolean;
  readonly finished: boolean;
}

/**
 * Validates a change of a job's status by the job's controller or by another one (`spec.managedBy`). Rules about unchanged fields
 * are skipped, so that a status that became invalid by a change of the spec can still be corrected.
 */
export function validateJobStatusUpdate(job: ReceivedObject<Job>, old: ReceivedObject<Job>): FieldError[] {
  const [now, before] = [sideOf(job), sideOf(old)];
  const errors: Errors = [];
  checkCounters(now.status, errors);
  checkUncounted(object(now.status.uncountedTerminatedPods), errors);
  checkEnd(now, changesOf(now, before), errors);
  checkPods(now, changesOf(now, before), errors);
  checkIndexes(now, changesOf(now, before), errors);
  checkReadiness(now, changesOf(now, before), errors);
  checkSuccess(now, errors);
  checkProgress(now, before, errors);
  return errors;
}

function sideOf(job: ReceivedObject<Job>): Side {
  const status = object(job.status);
  const has = (condition: Condition): boolean =>
    objects(status.conditions).some(({ type, status: value }) => type === condition && value === "True");
  return { spec: object(job.spec), status, has, finished: has("Complete") || has("Failed") };
}

/** Whether one of these fields or conditions is not what it was. */
type Changes = (...what: readonly (Condition | "finished" | keyof JobStatus)[]) => boolean;

const changesOf =
  (now: Side, before: Side): Changes =>
  (...what) =>
    what.some((one) => {
      if (one === "finished") return now.finished !== before.finished;
      if (isCondition(one)) return now.has(one) !== before.has(one);
      if (one === "active") return (now.status.active ?? 0) !== (before.status.active ?? 0);
      if (one === "completedIndexes") {
        return (now.status.completedIndexes ?? "") !== (before.status.completedIndexes ?? "");
      }
      if (one === "uncountedTerminatedPods") return !sameValue(now.status[one], before.status[one]);
      return (now.status[one] ?? undefined) !== (before.status[one] ?? undefined);
    });

/** Conditions have capital letters, fields have not. */
const isCondition = (what: Condition | keyof JobStatus): what is Condition => /^[A-Z]/.test(what);

const COUNTERS = ["active", "succeeded", "failed", "ready", "terminating"] as const;

function checkCounters(status: Received<JobStatus>, errors: Errors): void {
  for (const field of COUNTERS) checkNonNegative(status[field], `status.${field}`, errors);
}

/** Pods that ended and are not counted yet, each by its uid, once. */
function checkUncounted(uncounted: Received<UncountedTerminatedPods>, errors: Errors): void {
  const seen = new Set<string>();
  for (const field of ["succeeded", "failed"] as const) {
    for (const [index, value] of list(uncounted[field]).entries()) {
      const uid = text(value);
      const at = `status.uncountedTerminatedPods.${field}[${index}]`;
      if (uid === "") errors.push(invalidValue(at, uid, "must not be empty"));
      else if (seen.has(uid)) errors.push(duplicate(at, uid));
      seen.add(uid);
    }
  }
}

/** A job ends one way, and says when. */
function checkEnd({ status, has }: Side, changed: Changes, errors: Errors): void {
  const together = (a: Condition, b: Condition, shown: string) => {
    if (changed(a, b) && has(a) && has(b)) refuseConditions(`cannot set ${shown} conditions`, errors);
  };
  together("Complete", "Failed", "Complete=True and Failed=true");
  together("Complete", "FailureTarget", "Complete=True and FailureTarget=true");
  const { startTime, completionTime } = status;
  const at = "status.completionTime";
  if (changed("Complete", "completionTime")) {
    if (!absent(completionTime) && !has("Complete")) {
      const detail = "cannot set completionTime when there is no Complete=True condition";
      errors.push(invalidValue(at, completionTime, detail));
    }
    if (absent(completionTime) && has("Complete")) {
      errors.push(required(at, "completionTime is required for Complete jobs"));
    }
  }
  if (changed("startTime", "completionTime") && Date.parse(text(completionTime)) < Date.parse(text(startTime))) {
    errors.push(invalidValue(at, completionTime, "completionTime cannot be set before startTime"));
  }
  const announced = (end: Condition, sign: Condition) => {
    if (!has(end) || has(sign)) return;
    refuseConditions(`cannot set ${end}=True condition without the ${sign}=true condition`, errors);
  };
  if (changed("Failed", "failedIndexes")) announced("Failed", "FailureTarget");
  if (changed("Complete", "SuccessCriteriaMet")) announced("Complete", "SuccessCriteriaMet");
}

/** Of a job that has ended nothing runs, and nothing is left to count. */
function checkPods({ spec, status, finished }: Side, changed: Changes, errors: Errors): void {
  if (!finished) return;
  if (changed("finished", "active") && number(status.active) > 0) {
    errors.push(invalidValue("status.active", status.active, "active>0 is invalid for finished job"));
  }
  // A suspended job of no completions is complete without ever having started.
  const neverStarts = spec.suspend === true && spec.completions === 0;
  if (changed("finished", "startTime") && !neverStarts && absent(status.startTime)) {
    errors.push(required("status.startTime", "startTime is required for finished job"));
  }
  const uncounted = object(status.uncountedTerminatedPods);
  const left = list(uncounted.failed).length + list(uncounted.succeeded).length;
  if (changed("finished", "uncountedTerminatedPods") && left > 0) {
    const shown = goJson("UncountedTerminatedPods", uncounted);
    const detail = "uncountedTerminatedPods needs to be empty for finished job";
    errors.push(invalidValue("status.uncountedTerminatedPods", shown, detail));
  }
}

/** Which indexes are done, and which will never be. */
function checkIndexes({ spec, status }: Side, changed: Changes, errors: Errors): void {
  const completed = text(status.completedIndexes);
  const failed = absent(status.failedIndexes) ? undefined : text(status.failedIndexes);
  const refuse = (field: "completedIndexes" | "failedIndexes", detail: string) =>
    errors.push(invalidValue(`status.${field}`, field === "completedIndexes" ? completed : failed, detail));
  const parse = (field: "completedIndexes" | "failedIndexes", indexes: string) => {
    const count = countIndexes(indexes, number(spec.completions));
    if (typeof count === "string") refuse(field, `error parsing ${field}: ${count}`);
  };
  const counted = !absent(spec.completions);
  const limited = !absent(spec.backoffLimitPerIndex);
  const [completedChanged, failedChanged] = [changed("completedIndexes"), changed("failedIndexes")];
  if (completedChanged && counted) parse("completedIndexes", completed);
  if (failedChanged && counted && limited && failed !== undefined) parse("failedIndexes", failed);
  if (completedChanged && completed !== "" && spec.completionMode !== "Indexed") {
    refuse("completedIndexes", "cannot set non-empty completedIndexes when non-indexed completion mode");
  }
  if (failedChanged && !limited && failed !== undefined) {
    refuse("failedIndexes", "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
  }
  if (!(completedChanged || failedChanged) || !counted || failed === undefined) return;
  const shared = firstSharedIndex(completed, failed, number(spec.completions));
  if (shared !== undefined) refuse("failedIndexes", `failedIndexes and completedIndexes overlap at index: ${shared}`);
}

function checkReadiness({ status, finished }: Side, changed: Changes, errors: Errors): void {
  if (changed("finished", "terminating") && finished && number(status.terminating) > 0) {
    errors.push(invalidValue("status.terminating", status.terminating, "terminating>0 is invalid for finished job"));
  }
  if (changed("ready", "active") && number(status.ready) > number(status.active)) {
    errors.push(invalidValue("status.ready", status.ready, "cannot set more ready pods than active"));
  }
}

/** These hold whatever changes. */
function checkSuccess({ spec, has }: Side, errors: Errors): void {
  const met = has("SuccessCriteriaMet");
  for (const failure of ["Failed", "FailureTarget"] as const) {
    if (met && has(failure)) {
      refuseConditions(`cannot set SuccessCriteriaMet=True and ${failure}=true conditions`, errors);
    }
  }
  if (!absent(spec.successPolicy) && !met && has("Complete")) {
    refuseConditions("cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True", errors);
  }
}

/** What was said stays said, and counters only go up. */
function checkProgress(now: Side, before: Side, errors: Errors): void {
  for (const end of ["Failed", "Complete", "FailureTarget"] as const) {
    if (before.has(end) && !now.has(end)) {
      refuseConditions(`cannot disable the terminal ${end}=True condition`, errors);
    }
  }
  const { spec, status } = now;
  const fell = (field: "failed" | "succeeded") => number(status[field]) < number(before.status[field]);
  // An indexed job can be made smaller while it runs.
  const elastic = spec.completionMode === "Indexed" && (spec.completions ?? null) === (spec.parallelism ?? null);
  for (const field of ["failed", "succeeded"] as const) {
    if (!(elastic && field === "succeeded") && fell(field)) {
      errors.push(invalidValue(`status.${field}`, status[field] ?? 0, `cannot decrease the ${field} counter`));
    }
  }
  const [ended, had] = [status.completionTime, before.status.completionTime];
  if (!absent(ended) && !absent(had) && ended !== had) {
    errors.push(invalidValue("status.completionTime", ended, "completionTime cannot be mutated"));
  }
  checkStart(now, before, errors);
  if (before.has("SuccessCriteriaMet") && !now.has("SuccessCriteriaMet")) {
    refuseConditions("cannot disable the SuccessCriteriaMet=True condition", errors);
  }
  if (before.has("Complete") && !before.has("SuccessCriteriaMet") && now.has("SuccessCriteriaMet")) {
    const detail = "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions";
    refuseConditions(detail, errors);
  }
}

/** A job starts once, and anew when it is resumed. */
function checkStart(now: Side, before: Side, errors: Errors): void {
  const [started, had] = [now.status.startTime ?? null, before.status.startTime ?? null];
  const resumed = before.has("Suspended");
  if (had === null || started === had || now.spec.suspend === true || resumed) return;
  errors.push(required("status.startTime", "startTime cannot be removed for unsuspended job"));
}

function refuseConditions(detail: string, errors: Errors): void {
  errors.push(invalidValue("status.conditions", undefined, detail));
}
