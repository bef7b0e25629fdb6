import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Job } from "../../api/types/batch/v1.js";
import type { Pod, Container, PodSpec } from "../../api/types/core/v1.js";
import type { ResourceClient } from "../../client/dynamic/resource-client.js";
import { objectKey } from "../../client/informers/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import { controllerReference } from "../owned-pods/controller-ref.js";
import type { Expectations } from "../owned-pods/expectations.js";
import { type PodControl, slowStart, podFromTemplate } from "../owned-pods/pod-control.js";
import { isReady } from "../owned-pods/pod-state.js";
import { isTracked, JOB_KIND, COMPLETION_INDEX, TRACKING_FINALIZER } from "./job-pods.js";
import type { Observation } from "./observation.js";
import { RELEASE } from "./orphan-pods.js";
import type { PodPlan } from "./pod-plan.js";
import type { OwnerReference } from "../../machinery/meta/object.js";
import { failureAnnotations, limitsIndexes } from "./pod-failures.js";

/** The number of a job's pods after some were created or deleted. */
export interface PodCounts {
  readonly active: number;
  readonly ready: number;
  readonly terminating: number;
  /** What a request failed with. */
  readonly error?: unknown;
}

export interface PodWorker {
  /** Creates or deletes what the plan says. */
  carryOut(key: string, observation: Observation, plan: PodPlan): Promise<PodCounts>;
  /** Deletes all active pods of a job that ends; they keep their finalizers until they are counted. */
  end(observation: Observation): Promise<PodCounts>;
}

export function podWorker(pods: ResourceClient<Pod>, control: PodControl, expectations: Expectations): PodWorker {
  /** The counts when some of the pods were deleted. */
  const remove = async (
    { active, ready, terminating }: Observation,
    chosen: readonly Pod[],
    removeOne: (pod: Pod) => Promise<void>,
  ): Promise<PodCounts> => {
    const results = await Promise.allSettled(chosen.map(removeOne));
    const removed = chosen.filter((_, index) => results[index]?.status === "fulfilled");
    const failed = results.find((result) => result.status === "rejected");
    return {
      active: active.length - removed.length,
      ready: ready - removed.filter(isReady).length,
      terminating: terminating + removed.length,
      ...(failed && { error: failed.reason }),
    };
  };
  const create = async (key: string, { job, active, ready, terminating, indexes }: Observation, plan: PodPlan) => {
    expectations.expect(key, { creations: plan.create });
    const controller = controllerReference(JOB_KIND, job);
    const plain = indexes === undefined ? jobPod(job, controller) : undefined;
    const { succeeded, error } = await slowStart(plan.create, async (at) => {
      const index = plan.indexes[at] ?? 0;
      await control.create(job, plain ?? indexedPod(job, controller, index, indexes?.awaitingReplacement.get(index)));
    });
    expectations.created(key, plan.create - succeeded);
    return { active: active.length + succeeded, ready, terminating, ...(error !== undefined && { error }) };
  };
  return {
    async carryOut(key, observation, plan) {
      if (plan.create > 0) return create(key, observation, plan);
      const { job } = observation;
      if (plan.remove.length > 0) expectations.expect(key, { deletions: plan.remove.map(objectKey) });
      return remove(observation, plan.remove, async (pod) => {
        const { namespace = "", name = "" } = pod.metadata ?? {};
        try {
          if (isTracked(pod)) await pods.namespace(namespace).patch(name, RELEASE, { type: "strategic" });
          await control.delete(job, pod);
        } catch (error) {
          // The cache will not show this deletion, or has shown it.
          expectations.deleted(key, objectKey(pod));
          if (!isNotFound(error)) throw error;
        }
      });
    },
    end: (observation) =>
      remove(observation, observation.active, (pod) => deleteIfThere(control, observation.job, pod)),
  };
}

async function deleteIfThere(control: PodControl, job: Job, pod: Pod): Promise<void> {
  try {
    await control.delete(job, pod);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** What the server leaves of a generated name's prefix. */
const LONGEST_PREFIX = 58;

const INDEX_VARIABLE = "JOB_COMPLETION_INDEX";

/** A pod of a job without indexes. */
export function jobPod(job: Job, controller: OwnerReference): Pod {
  const pod = podFromTemplate(job.spec?.template ?? {}, job, controller);
  const { finalizers = [] } = pod.metadata ?? {};
  const tracked = finalizers.includes(TRACKING_FINALIZER) ? finalizers : [...finalizers, TRACKING_FINALIZER];
  return { ...pod, metadata: { ...pod.metadata, finalizers: tracked } };
}

/** Makes the pod of an index: its containers, annotations, label and host name contain the index. `replaced` is the failed pod before it. */
export function indexedPod(job: Job, controller: OwnerReference, index: number, replaced: Pod | undefined): Pod {
  const { metadata = {}, spec, ...pod } = jobPod(job, controller);
  const name = job.metadata?.name ?? "";
  const failures = limitsIndexes(job) ? failureAnnotations(job, replaced) : {};
  return {
    ...pod,
    metadata: {
      ...metadata,
      generateName: indexedPrefix(name, index),
      labels: { ...metadata.labels, [COMPLETION_INDEX]: `${index}` },
      annotations: { ...metadata.annotations, [COMPLETION_INDEX]: `${index}`, ...failures },
    },
    spec: { ...(spec && withIndexVariable(spec)), hostname: `${name}-${index}` } satisfies FieldsOf<PodSpec> as PodSpec,
  };
}

function indexedPrefix(name: string, index: number): string {
  const suffix = `-${index}-`;
  return `${name.slice(0, LONGEST_PREFIX - suffix.length)}${suffix}`;
}

function withIndexVariable(spec: PodSpec): PodSpec {
  const fieldRef = { fieldPath: `metadata.labels['${COMPLETION_INDEX}']` };
  const extend = (container: Container): Container => {
    const { env = [] } = container;
    if (env.some(({ name }) => name === INDEX_VARIABLE)) return container;
    return { ...container, env: [...env, { name: INDEX_VARIABLE, valueFrom: { fieldRef } }] };
  };
  return {
    ...spec,
    ...(spec.initContainers && ({ initContainers: spec.initContainers.map(extend) } satisfies FieldsOf<PodSpec>)),
    containers: spec.containers.map(extend),
  };
}
