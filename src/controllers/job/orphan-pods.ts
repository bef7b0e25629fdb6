import type { FieldsOf } from "../../machinery/meta/received.js";
import type { Job } from "../../api/types/batch/v1.js";
import type { Pod } from "../../api/types/core/v1.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext } from "../context.js";
import { controllerOf, type ControlledObjects } from "../owned-pods/controller-ref.js";
import { finishedCondition } from "./job-conditions.js";
import { isTracked, TRACKING_FINALIZER } from "./job-pods.js";

/** Removes the tracking finalizer from pods that no running job counts, so that they can be deleted. */
export function orphanPodController({ client, manager }: ControllerContext, owned: ControlledObjects<Pod>): void {
  const pods = client.of("v1", "Pod");
  const jobs = manager.informers.of("batch/v1", "Job").lister;
  const isOrphan = (pod: Pod): boolean => {
    const controller = controllerOf(pod);
    if (controller === undefined) return true;
    if (controller.kind !== "Job" || controller.apiVersion !== "batch/v1") return false;
    const job = jobs.namespace(pod.metadata?.namespace ?? "").get(controller.name);
    if (job?.metadata?.uid !== controller.uid) return true;
    return finishedCondition(job) !== undefined && !isManagedElsewhere(job);
  };
  const trackedPods = function* ({ metadata }: Job) {
    for (const pod of owned.controlledBy(metadata?.uid ?? "")) {
      const { namespace = "", name = "" } = pod.metadata ?? {};
      if (isTracked(pod)) yield { namespace, name };
    }
  };
  manager
    .controllerFor("v1", "Pod", {
      when: (pod) =>
        isTracked(pod) && (controllerOf(pod) === undefined || pod.metadata?.deletionTimestamp !== undefined),
    })
    .named("job-controller-orphan-pods")
    .watches("batch/v1", "Job", trackedPods, { when: (job) => finishedCondition(job) !== undefined })
    .reconcile(async ({ namespace, name, object: pod }) => {
      if (pod === undefined || !isTracked(pod) || !isOrphan(pod)) return;
      try {
        await pods.namespace(namespace).patch(name, RELEASE, { type: "strategic" });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });
}

/** The strategic merge patch that removes the tracking finalizer from a pod. */
export const RELEASE = {
  metadata: { "$deleteFromPrimitiveList/finalizers": [TRACKING_FINALIZER] },
} satisfies FieldsOf<Pod>;

/** Whether a controller other than Kubernetes' own manages the job. */
export function isManagedElsewhere({ spec }: Job): boolean {
  return spec?.managedBy !== undefined && spec.managedBy !== "kubernetes.io/job-controller";
}
