import { once } from "../../base/async/once.js";
import { inOrder } from "../../base/async/turns.js";
import type { HorizontalPodAutoscaler } from "../../api/types/autoscaling/v2.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import type { ControllerContext } from "../context.js";

const GROUP_VERSION = "autoscaling/v2";
const KIND = "HorizontalPodAutoscaler";

/** How often the metrics of an autoscaler are looked at. */
const PERIOD_MS = 15_000;
/** The cache shows by then what was written. */
const BEHIND_MS = 100;

/** When an autoscaler is looked at next, in milliseconds, and the spec that it had when that was decided. */
interface Due {
  readonly at: number;
  readonly spec: HorizontalPodAutoscaler["spec"];
}

/** Scales workloads by their metrics. */
export function horizontalPodAutoscalerController(context: ControllerContext): void {
  const { client, manager, clock, served, cluster, gates } = context;
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
      gates,
      now,
    });
  });
  /** By the autoscaler's key. */
  const due = new Map<string, Due>();
  // K37-140: before Kubernetes 1.37 a new autoscaler, as a changed one, waits for the next look.
  const actsAtOnce = context.release.atLeast("1.37");
  const dueOf = (known: Due | undefined, { spec }: HorizontalPodAutoscaler): Due => {
    if (known === undefined) return { at: now() + (actsAtOnce ? 0 : PERIOD_MS), spec };
    const isChanged = gates.enabled("HPAGeneration") && !sameSpec(known.spec, spec);
    return { at: isChanged ? now() : known.at, spec };
  };
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
      const next = dueOf(due.get(key), autoscaler);
      due.set(key, next);
      if (now() < next.at) return { requeueAfterMilliseconds: next.at - now() };
      const reconciler = await autoscalers();
      if (actsAtOnce && reconciler.isBehind(autoscaler)) return { requeueAfterMilliseconds: BEHIND_MS };
      due.set(key, { ...next, at: now() + PERIOD_MS });
      await reconciler.reconcile(autoscaler);
      return { requeueAfterMilliseconds: PERIOD_MS };
    });
}

const sameSpec = (one: HorizontalPodAutoscaler["spec"], other: HorizontalPodAutoscaler["spec"]): boolean =>
  one === other || deepEqual(one, other);
