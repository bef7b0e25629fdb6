import { scheduleError } from "../../../machinery/text/cron/parse-schedule.js";
import { type FieldError, invalidValue, notSupported, required } from "../../../machinery/errors/field-error.js";
import { absent, object, type Received, type ReceivedObject, text } from "../../../machinery/meta/received.js";
import { isTimeZone } from "../../../machinery/text/time-zone/time-zone.js";
import type { ServerTraits } from "../../gates/feature-gates.js";
import type { CronJob, CronJobSpec, JobSpec } from "../../types/batch/v1.js";
import { checkNonNegative, checkRequiredOneOf, type Errors } from "../collect.js";
import { newTemplate, optionsOfChange, type PodValidationOptions } from "../pod/pod-options.js";
import { checkJobSpec } from "./job.js";

export function validateCronJob(cronJob: ReceivedObject<CronJob>, server: ServerTraits): FieldError[] {
  const errors: Errors = [];
  checkSpec(object(cronJob.spec), undefined, newTemplate(server), errors);
  const name = cronJob.metadata?.name ?? "";
  // Its jobs are called after it, with eleven characters more.
  if (Buffer.byteLength(name) > 52) {
    errors.push(invalidValue("metadata.name", name, "must be no more than 52 characters"));
  }
  return errors;
}

export function validateCronJobUpdate(
  cronJob: ReceivedObject<CronJob>,
  old: ReceivedObject<CronJob>,
  server: ServerTraits,
): FieldError[] {
  const errors: Errors = [];
  const before = object(old.spec);
  const template = object(object(object(before.jobTemplate).spec).template);
  checkSpec(object(cronJob.spec), before, optionsOfChange(template, false, server), errors);
  return errors;
}

const POLICIES = ["Allow", "Forbid", "Replace"];

function checkSpec(
  spec: Received<CronJobSpec>,
  old: Received<CronJobSpec> | undefined,
  options: PodValidationOptions,
  errors: Errors,
): void {
  const schedule = text(spec.schedule);
  if (schedule === "") errors.push(required("spec.schedule"));
  else checkSchedule(schedule, text(old?.schedule).includes("TZ"), spec.timeZone, errors);
  checkNonNegative(spec.startingDeadlineSeconds, "spec.startingDeadlineSeconds", errors);
  if (old === undefined || old.timeZone !== spec.timeZone) checkTimeZone(spec.timeZone, "spec.timeZone", errors);
  checkRequiredOneOf(spec.concurrencyPolicy, "spec.concurrencyPolicy", POLICIES, errors);
  checkJobTemplate(object(object(spec.jobTemplate).spec), "spec.jobTemplate.spec", options, errors);
  checkNonNegative(spec.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit", errors);
  checkNonNegative(spec.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit", errors);
}

/** A time zone in the schedule itself is let be only where it was before. */
function checkSchedule(schedule: string, hadZone: boolean, timeZone: string | null | undefined, errors: Errors): void {
  const wrong = scheduleError(schedule);
  if (wrong !== undefined) errors.push(invalidValue("spec.schedule", schedule, wrong));
  if (!schedule.includes("TZ")) return;
  if (!hadZone) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    errors.push(invalidValue("spec.schedule", schedule, detail));
  } else if (!absent(timeZone)) {
    const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
    errors.push(invalidValue("spec.schedule", schedule, detail));
  }
}

const zonePart = /^[A-Za-z.\-_0-9+]{1,14}$/;

function checkTimeZone(value: string | null | undefined, path: string, errors: Errors): void {
  if (absent(value)) return;
  const zone = text(value);
  if (zone === "") {
    errors.push(invalidValue(path, zone, "timeZone must be nil or non-empty string"));
    return;
  }
  const unknown = `unknown time zone ${zone}`;
  if (zone.split("/").some((part) => part === "." || part === ".." || part.startsWith("-") || !zonePart.test(part))) {
    errors.push(invalidValue(path, zone, unknown));
    return;
  }
  if (zone.toLowerCase() === "local") {
    const detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones";
    errors.push(invalidValue(path, zone, detail));
  }
  if (zone !== "Local" && !isTimeZone(zone)) errors.push(invalidValue(path, zone, unknown));
}

/** The server makes each job's selector itself. */
function checkJobTemplate(spec: Received<JobSpec>, path: string, options: PodValidationOptions, errors: Errors): void {
  checkJobSpec(spec, path, options, errors);
  if (!absent(spec.selector)) {
    errors.push(invalidValue(`${path}.selector`, spec.selector, "`selector` will be auto-generated"));
  }
  if (spec.manualSelector === true) errors.push(notSupported(`${path}.manualSelector`, true, ["nil", "false"]));
}
