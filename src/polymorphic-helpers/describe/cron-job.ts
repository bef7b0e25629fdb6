import type { JobSpec } from "../../api/types/batch/v1.js";
import { absent, object, objects, type Received, text } from "../../machinery/meta/received.js";
import { dateText } from "./dates.js";
import type { Describer } from "./describer.js";
import type { Description } from "./description.js";
import { describeEvents, eventsOf } from "./events.js";
import { titleFlagOr, whole } from "./go-fields.js";
import { describeLabelsAndAnnotations, describeName } from "./labels.js";
import { jobSelectorText } from "./job.js";
import { describePodTemplate } from "./pod-template.js";

const UNSET = "<unset>";

export const describeCronJob: Describer = async (namespace, name, description, context) => {
  const cronJob = await context.reader.get("batch/v1/CronJob", namespace, name);
  const events = await eventsOf(cronJob, "CronJob", context);
  const [spec, status] = [object(cronJob.spec), object(cronJob.status)];
  describeName(description, cronJob);
  describeLabelsAndAnnotations(description, cronJob);
  description.write(0, `Schedule:\t${text(spec.schedule)}\n`);
  description.write(0, `Concurrency Policy:\t${text(spec.concurrencyPolicy)}\n`);
  description.write(0, `Suspend:\t${titleFlagOr(spec.suspend, UNSET)}\n`);
  description.write(0, `Time Zone:\t${absent(spec.timeZone) ? UNSET : text(spec.timeZone)}\n`);
  description.write(0, `Successful Job History Limit:\t${wholeOrUnset(spec.successfulJobsHistoryLimit)}\n`);
  description.write(0, `Failed Job History Limit:\t${wholeOrUnset(spec.failedJobsHistoryLimit)}\n`);
  description.write(0, `Starting Deadline Seconds:\t${wholeOrUnset(spec.startingDeadlineSeconds, "s")}\n`);
  describeJobTemplate(description, object(object(spec.jobTemplate).spec));
  const last = status.lastScheduleTime;
  description.write(0, `Last Schedule Time:\t${absent(last) ? UNSET : dateText(last)}\n`);
  const active = objects(status.active).map((job) => text(job.name));
  description.write(0, `Active Jobs:\t${active.length === 0 ? "<none>" : active.join(", ")}\n`);
  describeEvents(description, events, context);
};

function describeJobTemplate(description: Description, spec: Received<JobSpec>): void {
  description.write(0, `Selector:\t${absent(spec.selector) ? UNSET : jobSelectorText(spec.selector)}\n`);
  description.write(0, `Parallelism:\t${wholeOrUnset(spec.parallelism)}\n`);
  description.write(0, `Completions:\t${wholeOrUnset(spec.completions)}\n`);
  const { activeDeadlineSeconds } = spec;
  if (!absent(activeDeadlineSeconds)) {
    description.write(0, `Active Deadline Seconds:\t${whole(activeDeadlineSeconds)}s\n`);
  }
  describePodTemplate(description, spec.template);
}

const wholeOrUnset = (value: unknown, unit = ""): string => (absent(value) ? UNSET : `${whole(value)}${unit}`);
