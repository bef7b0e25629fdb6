import type { Job, JobCondition, JobStatus } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { objectKey } from "../../client/informers/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { compareResourceVersions } from "../../machinery/meta/resource-version.js";
import { controllerOf, refersTo } from "../owned-pods/controller-ref.js";
import { completionMode, JOB_KIND } from "./job-pods.js";
import { uidOf } from "./observation.js";
import { RELEASE } from "./orphan-pods.js";
import { concluded, settleCounted, type Tracking } from "./tracking.js";
import type { WorkCounts } from "../work-counts.js";
import { writeStatus } from "../writes.js";

/** Writes the status of jobs, and removes the finalizers from pods that it has counted. */
export class StatusWriter {
  /** By job: the pods, by uid, that lost their finalizer while the cache still shows it. */
  readonly #released = new Map<string, Set<string>>();
  /** By job: the resourceVersion of its status that was written last. */
  readonly #written = new Map<string, string>();

  constructor(
    private readonly client: KubernetesClient,
    private readonly recorder: EventRecorder,
    private readonly counts: WorkCounts,
  ) {}

  /** The pods of the job that need not be counted any more although the cache shows their finalizer. */
  released(job: Job): ReadonlySet<string> {
    return this.#released.get(objectKey(job)) ?? new Set();
  }

  /** Whether the cache has yet to show what was written last of the job: to act on it would count pods twice. */
  isStale(job: Job): boolean {
    const written = this.#written.get(objectKey(job));
    if (written === undefined) return false;
    return (compareResourceVersions(job.metadata?.resourceVersion ?? "", written) ?? 0) < 0;
  }

  /** The cache shows a pod without the finalizer, or without the pod. */
  seenReleased(pod: Pod): void {
    const controller = controllerOf(pod);
    if (controller === undefined || !refersTo(controller, JOB_KIND)) return;
    this.#released.get(`${pod.metadata?.namespace ?? ""}/${controller.name}`)?.delete(uidOf(pod));
  }

  /** The job is gone. */
  forget(key: string): void {
    this.#released.delete(key);
    this.#written.delete(key);
  }

  /**
   * Lists the pods that ended, takes their finalizers, counts them, and ends the job where nothing is left to count: a crash
   * between two steps neither loses a pod nor counts it twice. `listed` is called when the first step is done.
   */
  async write(job: Job, tracking: Tracking, listed: () => void): Promise<void> {
    const first = await this.#writeStatus(job, tracking.status);
    if (first !== undefined) listed();
    const saved = withListed(first ?? job, tracking.status);
    const { done, error } = await this.#release(job, tracking.release);
    const settled = settleCounted(saved.status ?? {}, new Set([...tracking.tracked].filter((uid) => !done.has(uid))));
    const ended = error === undefined ? concluded(settled, tracking) : undefined;
    await this.#writeStatus(saved, ended ?? settled);
    this.#countPods(job, ended ?? settled);
    if (error !== undefined) throw error;
    if (ended !== undefined && tracking.end !== undefined) this.#recordEnd({ ...job, status: ended }, tracking.end);
  }

  /** The job as the server has it then; undefined where it has this status already. */
  async #writeStatus(job: Job, status: JobStatus): Promise<Job | undefined> {
    const saved = await writeStatus(this.client.of(JOB_KIND.apiVersion, JOB_KIND.kind), job, status);
    if (saved !== undefined) this.#written.set(objectKey(job), saved.metadata?.resourceVersion ?? "");
    return saved;
  }

  async #release(job: Job, pods: readonly Pod[]): Promise<{ readonly done: ReadonlySet<string>; error?: unknown }> {
    if (pods.length === 0) return { done: new Set() };
    const key = objectKey(job);
    const released = this.#released.get(key) ?? new Set();
    this.#released.set(key, released);
    const results = await Promise.allSettled(pods.map((pod) => this.#releaseOne(pod, released)));
    const failed = results.find((result) => result.status === "rejected");
    return {
      done: new Set(pods.filter((_, index) => results[index]?.status === "fulfilled").map(uidOf)),
      ...(failed && { error: failed.reason as unknown }),
    };
  }

  async #releaseOne(pod: Pod, released: Set<string>): Promise<void> {
    const { namespace = "", name = "" } = pod.metadata ?? {};
    released.add(uidOf(pod));
    try {
      await this.client.of("v1", "Pod").namespace(namespace).patch(name, RELEASE, { type: "strategic" });
    } catch (error) {
      released.delete(uidOf(pod));
      if (!isNotFound(error)) throw error;
    }
  }

  /** Counts the pods that the status has come to count. */
  #countPods(job: Job, after: JobStatus): void {
    const mode = completionMode(job);
    for (const result of ["succeeded", "failed"] as const) {
      // An indexed job that was scaled down has fewer than before.
      const more = (after[result] ?? 0) - (job.status?.[result] ?? 0);
      if (more > 0) this.counts.add("jobPodsFinished", [mode, result], more);
    }
  }

  #recordEnd(job: Job, { type, reason = "", message = "" }: JobCondition): void {
    this.counts.add("jobsFinished", [completionMode(job), type === "Complete" ? "succeeded" : "failed", reason]);
    if (type !== "Complete") return this.recorder.event(job, "Warning", reason, message);
    if (job.spec?.completions !== undefined && (job.status?.succeeded ?? 0) > job.spec.completions) {
      const tooMany = "Too many succeeded pods running after completion count reached";
      this.recorder.event(job, "Warning", "TooManySucceededPods", tooMany);
    }
    this.recorder.event(job, "Normal", "Completed", "Job completed");
  }
}

/**
 * The job with the uncounted pods that were written. Servers older than Kubernetes 1.22 drop them: then a crash before the second write loses the
 * count of these pods, and the job runs others in their place.
 */
function withListed(job: Job, { uncountedTerminatedPods }: JobStatus): Job {
  if (job.status?.uncountedTerminatedPods != null || uncountedTerminatedPods === undefined) return job;
  return { ...job, status: { ...job.status, uncountedTerminatedPods } };
}
