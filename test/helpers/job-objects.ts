import type { Job, JobSpec, JobStatus } from "../../src/api/types/batch/v1.js";
import type { Pod, PodStatus } from "../../src/api/types/core/v1.js";

/** The time at which these objects are looked at, in milliseconds. */
export const NOW = Date.UTC(2026, 0, 1, 12);

/** A time before {@link NOW}, as an object states it. */
export const ago = (seconds: number): string => `${new Date(NOW - seconds * 1000).toISOString().slice(0, 19)}Z`;

/** A job called "work" with the server's defaults. */
export function job(spec: Partial<JobSpec> = {}, status: JobStatus = {}): Job {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "work", namespace: "shop", uid: "job-uid" },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } },
      ...spec,
    },
    status,
  };
}

export interface PodParts {
  readonly index?: number;
  readonly phase?: PodStatus["phase"];
  /** Seconds since it ended, where it has a container that did. */
  readonly ended?: number;
  readonly exitCode?: number;
  /** Whether it is being deleted. */
  readonly deleted?: boolean;
  /** Whether it still has its finalizer. Default true. */
  readonly tracked?: boolean;
  readonly ready?: boolean;
  readonly restarts?: number;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly conditions?: PodStatus["conditions"];
}

/** A pod of that job, by default running. */
export function pod(name: string, parts: PodParts = {}): Pod {
  const { index, phase = "Running", ended, exitCode = 0, deleted, tracked = true, ready, restarts = 0 } = parts;
  const terminated = ended === undefined ? undefined : { exitCode, finishedAt: ago(ended) };
  const indexed = index === undefined ? {} : { "batch.kubernetes.io/job-completion-index": `${index}` };
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name,
      namespace: "shop",
      uid: `${name}-uid`,
      creationTimestamp: ago(3600),
      annotations: { ...indexed, ...parts.annotations },
      ...(deleted && { deletionTimestamp: ago(10), deletionGracePeriodSeconds: 30 }),
      ...(tracked && { finalizers: ["batch.kubernetes.io/job-tracking"] }),
    },
    spec: { containers: [{ name: "c", image: "i" }] },
    status: {
      phase,
      conditions: [...(ready ? [{ type: "Ready", status: "True" } as const] : []), ...(parts.conditions ?? [])],
      containerStatuses: [
        {
          name: "c",
          image: "i",
          imageID: "",
          ready: false,
          restartCount: restarts,
          ...(terminated && { state: { terminated } }),
        },
      ],
    },
  };
}
