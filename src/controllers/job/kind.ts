export const JOB_KIND = { apiVersion: "batch/v1", kind: "Job" } as const;
