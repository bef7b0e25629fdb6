import { number, object, type Received } from "../../../machinery/meta/received.js";
import type { JobSpec } from "../../types/batch/v1.js";
import { podTemplateWarnings } from "../pod/pod-warnings.js";

const TOO_MANY =
  "In Indexed Jobs with a number of completions higher than 10^5 and a parallelism higher than 10^4, Kubernetes might not be able to track completedIndexes when a big number of indexes fail";

/** Returns the warnings about a job's spec. `path` is the spec's. */
export function jobSpecWarnings(spec: Received<JobSpec>, path: string): string[] {
  const many = number(spec.completions) > 100_000 && number(spec.parallelism) > 10_000;
  const indexed = spec.completionMode === "Indexed" && many ? [`${path}: ${TOO_MANY}`] : [];
  return [...indexed, ...podTemplateWarnings(object(spec.template), `${path}.template`)];
}
