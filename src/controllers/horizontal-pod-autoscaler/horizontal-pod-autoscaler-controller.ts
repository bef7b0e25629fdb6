import { once } from "../../base/async/once.js";
import { inOrder } from "../../base/async/turns.js";
import type { ControllerContext } from "../context.js";

const GROUP_VERSION = "autoscaling/v2";
const KIND = "HorizontalPodAutoscaler";

/** How often the metrics of an autoscaler are looked at. Changes of it wait for the next look. */
const PERIOD_MS = 15_000;

/** Scales workloads by their metrics. */
export function horizontalPodAutoscalerController(context: ControllerContext): void {
  const { client, manager, clock, served, cluster } = context;
  const pods = manager.informers.of("v1", "Pod").lister;
  const now = (): number => clock.now();
  /** Loaded for the first autoscaler. */
  const autoscalers = once(async () => {
    const { AutoscalerReconciler, metricReader, scaleOf, servedMetrics } = await inOrder(import("./index.js"));
    return new AutoscalerReconciler({
      autoscalers: client.of(GROUP_VERSION, KIND),
      podsOf: (namespace, selector) =>
        pods
          .namespace(namespace)
          .list()
          .filter(({ metadata }) => selector.matches(metadata?.labels)),
      scaleOf: (namespace, target) => scaleOf({ client, served }, namespace, target),
      metrics: metricReader(client, servedMetrics(client, served, now), cluster.metrics, now),
      recorder: context.recorder({ component: "horizontal-pod-autoscaler" }),
      now,
    });
  });
  /** When each autoscaler is looked at next, by its key. */
  const due = new Map<string, number>();
  manager
    .controllerFor(GROUP_VERSION, KIND)
    .named("horizontal-pod-autoscaler-controller")
    .workers(5)
    .reconcile(async ({ namespace, name, object: autoscaler }) => {
      const key = `${namespace}/${name}`;
      if (autoscaler === undefined) {
        if (due.delete(key)) (await autoscalers()).forget(namespace, name);
        return;
      }
      const at = due.get(key) ?? now() + PERIOD_MS;
      due.set(key, at);
      if (now() < at) return { requeueAfterMilliseconds: at - now() };
      due.set(key, now() + PERIOD_MS);
      await (await autoscalers()).reconcile(autoscaler);
      return { requeueAfterMilliseconds: PERIOD_MS };
    });
}
