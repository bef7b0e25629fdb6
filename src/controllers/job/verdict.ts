import type { Job, JobCondition, SuccessPolicy, SuccessPolicyRule } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { matchFailurePolicy } from "./failure-policy.js";
import { countIndexes, countShared, type Intervals, parseIntervals } from "./index-intervals.js";
import { newCondition, type Stated, trueCondition } from "./job-conditions.js";
import { isFailed } from "./job-pods.js";
import type { Observation } from "./observation.js";

/** The condition of a job whose pods have reached its completions. */
export const COMPLETIONS_REACHED: Stated = {
  type: "SuccessCriteriaMet",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
};

/**
 * The condition with which a job ends before its completions are reached, if it does: SuccessCriteriaMet, FailureTarget, or the
 * Failed that FailureTarget announced.
 */
export function verdictOn(observation: Observation, now: number): JobCondition | undefined {
  const { job } = observation;
  const { conditions } = job.status ?? {};
  const met = trueCondition(conditions, "SuccessCriteriaMet");
  if (met !== undefined) return met;
  const target = trueCondition(conditions, "FailureTarget");
  if (target !== undefined) return concluding("Failed", target, now);
  const stated = failure(observation, now) ?? success(observation);
  return stated && newCondition(stated, "True", now);
}

/** Makes the condition that ends the job, with the reason of the condition that announced the end. */
export function concluding(type: "Complete" | "Failed", announced: JobCondition, now: number): JobCondition {
  const { reason = "", message = "" } = announced;
  return newCondition({ type, reason, message }, "True", now);
}

/** The milliseconds until the job exceeds activeDeadlineSeconds; undefined when it has none or is not active. */
export function deadlineIn({ spec, status }: Job, now: number): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || status?.startTime == null || spec.suspend === true) return undefined;
  return Date.parse(status.startTime) + Number(spec.activeDeadlineSeconds) * 1000 - now;
}

function failure({ job, pods, failed, indexes }: Observation, now: number): Stated | undefined {
  const { backoffLimit = 6, maxFailedIndexes, completions = 0 } = job.spec ?? {};
  const because = (reason: string, message: string): Stated => ({ type: "FailureTarget", reason, message });
  const byPolicy = policyMessage(job, pods);
  if (byPolicy !== undefined) return because("PodFailurePolicy", byPolicy);
  if (failed > backoffLimit || restartsExceed(job, pods)) {
    return because("BackoffLimitExceeded", "Job has reached the specified backoff limit");
  }
  const left = deadlineIn(job, now);
  if (left !== undefined && left <= 0) {
    return because("DeadlineExceeded", "Job was active longer than specified deadline");
  }
  if (indexes?.failed === undefined) return undefined;
  const lost = countIndexes(indexes.failed);
  if (maxFailedIndexes !== undefined && lost > maxFailedIndexes) {
    return because("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes");
  }
  if (lost > 0 && lost + countIndexes(indexes.succeeded) >= completions) {
    return because("FailedIndexes", "Job has failed indexes");
  }
  return undefined;
}

function success({ job, indexes }: Observation): Stated | undefined {
  if (indexes === undefined) return undefined;
  const message = metSuccessPolicy(job.spec?.successPolicy, job.spec?.completions ?? 0, indexes.succeeded);
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message };
}

/** Of the first failed pod that the policy fails the job for. */
function policyMessage(job: Job, pods: readonly Pod[]): string | undefined {
  for (const pod of pods) {
    if (!isFailed(pod, job)) continue;
    const { message } = matchFailurePolicy(job.spec?.podFailurePolicy, pod);
    if (message !== undefined) return message;
  }
  return undefined;
}

/** Whether containers that restart in their pods (restartPolicy OnFailure) have used up the limit. */
function restartsExceed({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false;
  const { backoffLimit = 6 } = spec;
  let restarts = 0;
  for (const { status } of pods) {
    if (status?.phase !== "Running" && status?.phase !== "Pending") continue;
    for (const one of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
      restarts += one.restartCount;
    }
  }
  return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
}

/** Returns why a job with these succeeded indexes has met its success policy; undefined when it has not. */
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
