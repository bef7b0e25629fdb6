import type { Job } from "../../api/types/batch/v1.js";

/** Whether another controller than Kubernetes' own looks after the job. */
export function isManagedElsewhere({ spec }: Job): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";
}
