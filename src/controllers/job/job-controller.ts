import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Job, JobStatus } from "../../api/types/batch/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { Controller, ReconcileResult } from "../../client/manager/index.js";
import { readSelector, selectorFromObject } from "../../machinery/selectors/api-label-selector.js";
import type { ControllerContext } from "../context.js";
import { Expectations } from "../owned-pods/expectations.js";
import { followPods } from "../owned-pods/owned-pods.js";
import { podControl } from "../owned-pods/pod-control.js";
import type { WorkCounts } from "../work-counts.js";
import { completionMode, isTracked, JOB_KIND, TRACKING_FINALIZER } from "./job-pods.js";
import { orphanPodController, isManagedElsewhere } from "./orphan-pods.js";
import { podWorker, type PodCounts, type PodWorker } from "./pod-worker.js";
import { StatusWriter } from "./status-writer.js";
import { smallest } from "../../base/collections/append.js";
import type { Pod } from "../../api/types/core/v1.js";
import type { Clock } from "../../base/time/clock.js";
import { type Stopwatch, stopwatchOf } from "../../base/time/timers.js";
import type { KubernetesClient } from "../../client/dynamic/kubernetes-client.js";
import type { EventRecorder } from "../../client/events/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import { formatTime } from "../../machinery/meta/time.js";
import { claim } from "../owned-pods/claim.js";
import { controllerOf, type ControlledObjects } from "../owned-pods/controller-ref.js";
import { finishedCondition, newCondition, withCondition } from "./job-conditions.js";
import { type Observation, observe } from "./observation.js";
import { type FailureRecord, NO_FAILURES, recordAfter } from "./pod-failures.js";
import { type PodPlan, planPods } from "./pod-plan.js";
import { listEndedPods } from "./tracking.js";
import { COMPLETIONS_REACHED, deadlineIn, verdictOn } from "./verdict.js";

/** Runs the pods of jobs until as many have succeeded as a job requests, and counts each once. */
export function jobController(context: ControllerContext): void {
  const { client, clock, counts, manager, timers } = context;
  const recorder = context.recorder({ component: "job-controller" });
  const expectations = new Expectations(clock);
  const writer = new StatusWriter(client, recorder, counts);
  const enqueue = (key: string): void => controller.enqueue(key, BATCH_MS);
  const jobs = manager.informers.of(JOB_KIND.apiVersion, JOB_KIND.kind);
  jobs.addHandler({ updated: (_, job) => enqueue(objectKey(job)) });
  manager.informers.of("v1", "Pod").addHandler({
    updated: (_, pod) => {
      if (!isTracked(pod)) writer.seenReleased(pod);
    },
    deleted: (pod) => writer.seenReleased(pod),
  });
  const owned = followPods(manager.informers, {
    kind: JOB_KIND,
    owners: jobs.lister,
    selectorOf: ({ spec }) => readSelector(spec?.selector),
    expectations,
    enqueue,
  });
  const worker = podWorker(client.of("v1", "Pod"), podControl(client, recorder), expectations);
  const reconciler = new JobReconciler({
    client,
    clock,
    stopwatch: stopwatchOf(timers),
    counts,
    recorder,
    expectations,
    owned,
    worker,
    writer,
  });
  const controller: Controller<Stored<Job>> = manager
    .controllerFor(JOB_KIND.apiVersion, JOB_KIND.kind, {
      // Changes of the status are gathered: see above.
      when: (job, before) => before === undefined || before.metadata?.generation !== job.metadata?.generation,
    })
    .named("job-controller")
    .workers(5)
    .reads("v1", "Pod")
    .reconcile(({ namespace, name, object }) => reconciler.reconcile(`${namespace}/${name}`, object));
  orphanPodController(context, owned);
}

/** Changes of pods and of the status are gathered for so long. */
const BATCH_MS = 1000;

export interface JobReconcilerParts {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly stopwatch: () => Stopwatch;
  readonly counts: WorkCounts;
  readonly recorder: EventRecorder;
  readonly expectations: Expectations;
  readonly owned: ControlledObjects<Pod>;
  readonly worker: PodWorker;
  readonly writer: StatusWriter;
}

/** What a reconciliation has done to pods, by kube-controller-manager's names; "reconciling" while the cache is behind, and where the job ends. */
interface Sync {
  action: "reconciling" | "tracking" | "pods_created" | "pods_deleted";
}

function actionOf({ create, remove }: PodPlan, { spec }: Job): Sync["action"] {
  if (spec?.suspend === true || remove.length > 0) return "pods_deleted";
  return create > 0 ? "pods_created" : "tracking";
}

class JobReconciler {
  /** By job. */
  readonly #failures = new Map<string, FailureRecord>();

  constructor(private readonly parts: JobReconcilerParts) {}

  async reconcile(key: string, job: Job | undefined): Promise<ReconcileResult> {
    const { expectations, writer } = this.parts;
    if (job === undefined || finishedCondition(job) !== undefined) this.#failures.delete(key);
    if (job === undefined) {
      expectations.forget(key);
      writer.forget(key);
      return;
    }
    if (isManagedElsewhere(job) || finishedCondition(job) !== undefined) return;
    if (writer.isStale(job)) return { requeueAfterMilliseconds: BATCH_MS };
    const took = this.parts.stopwatch();
    const sync: Sync = { action: "reconciling" };
    let result = "success";
    try {
      return await this.#sync(key, job, sync);
    } catch (error) {
      if (isNotFound(error)) return;
      // The cache has yet to show the job's last change.
      if (isConflict(error)) return { requeueAfterMilliseconds: BATCH_MS };
      result = "error";
      throw error;
    } finally {
      const labels = [completionMode(job), result, sync.action];
      this.parts.counts.observe("jobSyncDuration", labels, took() / 1000);
      this.parts.counts.add("jobSyncs", labels);
    }
  }

  async #sync(key: string, job: Job, sync: Sync): Promise<ReconcileResult> {
    const { clock, expectations, worker, writer } = this.parts;
    const now = clock.now();
    // Before the pods are looked at: one that comes in between must not count as seen.
    const mayAct = expectations.satisfied(key);
    const pods = await this.#claim(job);
    const observation = observe({ ...job, status: startedStatus(job, now) }, pods, writer.released(job));
    const { newlySucceeded, newlyFailed } = observation;
    const failures = recordAfter(this.#failures.get(key) ?? NO_FAILURES, newlySucceeded, newlyFailed);
    let status: JobStatus = observation.job.status ?? {};
    let verdict = verdictOn(observation, now);
    let counts: PodCounts = { ...observation, active: observation.active.length };
    let wait = 0;
    if (verdict !== undefined) {
      counts = await worker.end(observation);
      // Pods are left, or some that the cache does not show yet: the job cannot end now.
      if (counts.active > 0 || !mayAct) verdict = undefined;
    } else {
      const managed = mayAct && job.metadata?.deletionTimestamp === undefined;
      if (managed) {
        const plan = planPods(observation, failures, now);
        sync.action = actionOf(plan, job);
        counts = await worker.carryOut(key, observation, plan);
        wait = plan.wait;
      }
      if (isComplete(observation, counts.active)) verdict = newCondition(COMPLETIONS_REACHED, "True", now);
      else if (managed) status = this.#withSuspension(job, status, now);
    }
    const tracking = listEndedPods(observation, withCounts(status, counts), verdict, now);
    await writer.write(job, tracking, () => void this.#failures.set(key, failures));
    if (counts.error !== undefined) throw counts.error;
    return recheck(wait > 0 ? Math.max(wait, BATCH_MS) : undefined, deadlineIn({ ...job, status }, now));
  }

  async #claim(job: Job): Promise<readonly Pod[]> {
    const { client, owned } = this.parts;
    const { namespace = "", name = "" } = job.metadata ?? {};
    const claimed = await claim(owned.candidates(job), {
      objects: client.of("v1", "Pod").namespace(namespace),
      owner: job,
      ownerKind: JOB_KIND,
      readOwner: () => client.of(JOB_KIND.apiVersion, JOB_KIND.kind).namespace(namespace).get(name),
      selector: selectorFromObject(job.spec?.selector),
      finalizer: TRACKING_FINALIZER,
    });
    // The cache has yet to show the finalizer of those that were adopted now.
    return claimed.map((pod) => (controllerOf(pod) === undefined ? withFinalizer(pod) : pod));
  }

  /** Says that the job was suspended or resumed. The time that it may be active begins again when it is resumed. */
  #withSuspension(job: Job, status: JobStatus, now: number): JobStatus {
    const suspended = job.spec?.suspend === true;
    const before = status.conditions ?? [];
    const [reason, message] = suspended ? ["JobSuspended", "Job suspended"] : ["JobResumed", "Job resumed"];
    const stated = { type: "Suspended", reason, message } as const;
    const conditions = withCondition(before, stated, suspended ? "True" : "False", now);
    if (conditions === before) return status;
    this.parts.recorder.event(job, "Normal", suspended ? "Suspended" : "Resumed", message);
    const { startTime: _, ...others } = status;
    return {
      ...others,
      conditions: [...conditions],
      ...(!suspended && ({ startTime: formatTime(now) } satisfies FieldsOf<JobStatus>)),
    };
  }
}

/** A job starts when it is first seen and not suspended. */
function startedStatus({ spec, status = {} }: Job, now: number): JobStatus {
  return status.startTime != null || spec?.suspend === true ? status : { ...status, startTime: formatTime(now) };
}

function isComplete({ job, succeeded }: Observation, active: number): boolean {
  const { completions } = job.spec ?? {};
  return active === 0 && (completions === undefined ? succeeded > 0 : succeeded >= completions);
}

function withCounts(status: JobStatus, { active, ready, terminating }: PodCounts): JobStatus {
  const { active: _, ...others } = status;
  return { ...others, ...(active > 0 && ({ active } satisfies FieldsOf<JobStatus>)), ready, terminating };
}

function withFinalizer(pod: Pod): Pod {
  if (isTracked(pod)) return pod;
  const finalizers = [...(pod.metadata?.finalizers ?? []), TRACKING_FINALIZER];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

/** When to look again: after the shortest of the waits. */
function recheck(...waits: readonly (number | undefined)[]): ReconcileResult {
  const known = waits.filter((wait) => wait !== undefined && wait > 0);
  if (known.length > 0) return { requeueAfterMilliseconds: smallest(known as number[]) };
}
