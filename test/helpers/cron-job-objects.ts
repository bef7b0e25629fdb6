import type { CronJob, CronJobSpec, CronJobStatus, Job } from "../../src/api/types/batch/v1.js";

/** A CronJob called "tick", created at the time. */
export function cronJob(created: string, spec: Partial<CronJobSpec> = {}, status: CronJobStatus = {}): CronJob {
  const template = { spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "i" }] } };
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: { name: "tick", namespace: "shop", uid: "tick-uid", creationTimestamp: created },
    spec: { schedule: "* * * * *", jobTemplate: { spec: { template } }, ...spec },
    status,
  };
}

/** A job of it; `end` is how it ended, `started` a time in RFC 3339. */
export function jobOfTick(name: string, started?: string, end?: "Complete" | "Failed"): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "shop", uid: `${name}-uid` },
    status: {
      ...(started !== undefined && { startTime: started }),
      ...(end !== undefined && { conditions: [{ type: end, status: "True" }] }),
      ...(end === "Complete" && started !== undefined && { completionTime: started }),
    },
  };
}
