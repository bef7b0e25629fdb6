import type { Job } from "../../api/types/batch/v1.js";
import type { Container, Pod, PodSpec } from "../../api/types/core/v1.js";
import type { OwnerReference } from "../../machinery/meta/object.js";
import { podFromTemplate } from "../owned-pods/pod-control.js";
import { failureAnnotations, limitsIndexes } from "./index-failures.js";
import { COMPLETION_INDEX, TRACKING_FINALIZER } from "./job-pods.js";

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

/** The pod of an index: its containers, annotations, label and host name say which. `replaced` failed before it. */
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
    spec: { ...(spec && withIndexVariable(spec)), hostname: `${name}-${index}` } as PodSpec,
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
    ...(spec.initContainers && { initContainers: spec.initContainers.map(extend) }),
    containers: spec.containers.map(extend),
  };
}
