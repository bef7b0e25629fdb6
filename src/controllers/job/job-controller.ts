import type { Job } from "../../api/types/batch/v1.js";
import { objectKey } from "../../client/informers/index.js";
import type { Stored } from "../../client/dynamic/stored.js";
import type { Controller } from "../../client/manager/index.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import type { ControllerContext } from "../context.js";
import { Expectations } from "../owned-pods/expectations.js";
import { followPods } from "../owned-pods/owned-pods.js";
import { podControl } from "../owned-pods/pod-control.js";
import { isTracked, JOB_KIND } from "./job-pods.js";
import { BATCH_MS, JobReconciler } from "./job-reconciler.js";
import { orphanPodController } from "./orphan-pods.js";
import { podWorker } from "./pod-worker.js";
import { StatusWriter } from "./status-writer.js";

/** Runs the pods of jobs until as many have succeeded as a job asks for, and counts each once. */
export function jobController(context: ControllerContext): void {
  const { client, clock, manager } = context;
  const recorder = context.recorder({ component: "job-controller" });
  const expectations = new Expectations(clock);
  const writer = new StatusWriter(client, recorder);
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
  const reconciler = new JobReconciler({ client, clock, recorder, expectations, owned, worker, writer });
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
