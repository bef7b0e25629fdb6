import { defaultCronJob } from "../../defaults/workloads.js";
import type { VersionTable } from "../version-table.js";
import { cronJob } from "./cron-job.js";

/** batch/v1beta1. */
export const BATCH: VersionTable = {
  "batch/v1beta1/CronJob": { conversion: cronJob, applyDefaults: defaultCronJob },
};
