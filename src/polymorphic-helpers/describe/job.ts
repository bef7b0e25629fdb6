import type { LabelSelector } from "../../api/types/meta/v1.js";
import type { JobSpec, JobStatus } from "../../api/types/batch/v1.js";
import { humanDuration } from "../../machinery/text/duration/human-duration.js";
import { absent, object, type Received, text } from "../../machinery/meta/received.js";
import { selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { scalar, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { controllerText } from "./workload-status.js";
import { describePodTemplate } from "./pod-template.js";

/** A list of indexes is cut at the first comma from here. */
const SOFT_LIMIT = 50;

export const describeJob: Describer = async (namespace, name, description, context) => {
  const job = await context.reader.get("batch/v1/Job", namespace, name);
  const events = await eventsOf(job, "Job", context);
  const [spec, status] = [object(job.spec), object(job.status)];
  describeName(description, job);
  description.write(0, `Selector:\t${jobSelectorText(spec.selector)}\n`);
  describeLabelsAndAnnotations(description, job);
  const controller = controllerText(job);
  if (controller !== undefined) description.write(0, `Controlled By:\t${controller}\n`);
  describeGoals(description, spec);
  describeTimes(description, spec, status);
  const ready = absent(status.ready) ? "" : ` (${whole(status.ready)} Ready)`;
  const ended = `${whole(status.succeeded)} Succeeded / ${whole(status.failed)} Failed`;
  description.write(0, `Pods Statuses:\t${whole(status.active)} Active${ready} / ${ended}\n`);
  if (spec.completionMode === "Indexed") {
    description.write(0, `Completed Indexes:\t${indexesText(text(status.completedIndexes))}\n`);
  }
  describePodTemplate(description, spec.template);
  describeEvents(description, events, context);
};

/** What it is asked to do. */
function describeGoals(description: Description, spec: Received<JobSpec>): void {
  for (const [title, field, otherwise] of [
    ["Parallelism", "parallelism"],
    ["Completions", "completions", "<unset>"],
    ["Completion Mode", "completionMode"],
    ["Suspend", "suspend"],
    ["Backoff Limit", "backoffLimit"],
    ["TTL Seconds After Finished", "ttlSecondsAfterFinished"],
  ] as const) {
    const value = scalar(spec[field], otherwise);
    if (value !== "") description.write(0, `${title}:\t${value}\n`);
  }
}

function describeTimes(description: Description, spec: Received<JobSpec>, status: Received<JobStatus>): void {
  const { startTime, completionTime } = status;
  if (!absent(startTime)) description.write(0, `Start Time:\t${dateText(startTime)}\n`);
  if (!absent(completionTime)) description.write(0, `Completed At:\t${dateText(completionTime)}\n`);
  if (!absent(startTime) && !absent(completionTime)) {
    const duration = humanDuration(Date.parse(text(completionTime)) - Date.parse(text(startTime)));
    description.write(0, `Duration:\t${duration}\n`);
  }
  const { activeDeadlineSeconds } = spec;
  if (!absent(activeDeadlineSeconds)) {
    description.write(0, `Active Deadline Seconds:\t${whole(activeDeadlineSeconds)}s\n`);
  }
}

/** The text of a selector, or the error of an invalid one. */
export function jobSelectorText(selector: Received<LabelSelector> | null | undefined): string {
  try {
    return selectorFromObject(selector).toString();
  } catch (error) {
    return `Failed to get selector: ${(error as Error).message}`;
  }
}

function indexesText(indexes: string): string {
  if (indexes === "") return "<none>";
  const end = indexes.indexOf(",", SOFT_LIMIT);
  return end === -1 ? indexes : `${indexes.slice(0, end + 1)}...`;
}
