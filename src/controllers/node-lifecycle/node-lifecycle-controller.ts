import type { Node, Pod } from "../../api/types/core/v1.js";
import { RateLimitingQueue, runWorkers } from "../../client/workqueue/index.js";
import { isNotFound } from "../../machinery/errors/status-error.js";
import type { ControllerContext, OwnWork } from "../context.js";
import { podsByNode } from "../pod-indexes.js";
import { HealthPass } from "./health-pass.js";
import { readyCondition } from "./node-health.js";
import { noScheduleChange, changeTaints, markNotReady } from "./node-writes.js";
import { zoneOf } from "./zones.js";

const NAME = "node-lifecycle-controller";
/** The least time between two passes, in milliseconds. */
const PERIOD_MS = 5000;

/**
 * Keeps the status of nodes true: conditions of silent nodes become Unknown, conditions become taints, and pods of nodes that are
 * not ready become not ready. A pass over all nodes follows a change or a deadline; without nodes there is none.
 */
export function nodeLifecycleController(context: ControllerContext): OwnWork {
  const { client, manager, clock, timers, signal, report, recorder } = context;
  const events = recorder({ component: "node-controller" });
  const nodes = manager.informers.of("v1", "Node");
  const pods = manager.informers.of("v1", "Pod");
  const pass = new HealthPass(context, events, podsByNode(pods));
  const queue = new RateLimitingQueue<"pass">({ timers });
  let last = Number.NEGATIVE_INFINITY;
  const look = (): void => queue.addAfter("pass", last + PERIOD_MS - clock.now());

  nodes.addHandler({
    added(node) {
      pass.health.observe(node, clock.now());
      look();
    },
    updated(before, node) {
      pass.health.observe(node, clock.now());
      if (concernsPass(before, node)) look();
    },
    deleted: look,
  });
  const renewed = manager.informers.of("coordination.k8s.io/v1", "Lease", { namespace: "kube-node-lease" });
  renewed.addHandler({
    added: (lease) => pass.health.renewed(lease, clock.now()),
    updated: (_, lease) => pass.health.renewed(lease, clock.now()),
  });
  const assigned = (pod: Pod): void => {
    const node = nodes.lister.get(pod.spec?.nodeName ?? "");
    const ready = node && readyCondition(node);
    if (ready !== undefined && ready.status !== "True") void markNotReady(client, [pod], events, clock).catch(report);
  };
  pods.addHandler({
    added: assigned,
    updated: (before, pod) => {
      if (before.spec?.nodeName !== pod.spec?.nodeName) assigned(pod);
    },
  });

  manager
    .controllerFor("v1", "Node")
    .named(NAME)
    .workers(8)
    .reconcile(async ({ name, object: node }) => {
      if (node === undefined) return;
      const change = noScheduleChange(node);
      if (change.add.length + change.remove.length > 0) await changeTaints(client, name, change, clock);
      const labels = repeatedLabels(node.metadata?.labels);
      if (Object.keys(labels).length === 0) return;
      try {
        await client.of("v1", "Node").patch(name, { metadata: { labels } }, { type: "strategic" });
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
    });

  return {
    run: () =>
      runWorkers(queue, {
        workers: 1,
        signal,
        report: ({ error }) => report(error),
        work: async () => {
          last = clock.now();
          const next = await pass.run(nodes.lister.list());
          return next === Number.POSITIVE_INFINITY ? "done" : { afterMilliseconds: Math.max(next, 1) };
        },
      }),
  };
}

function concernsPass(before: Node, after: Node): boolean {
  return (
    readyCondition(before)?.status !== readyCondition(after)?.status ||
    zoneOf(before) !== zoneOf(after) ||
    before.spec?.taints?.length !== after.spec?.taints?.length
  );
}

/** Labels that repeat others, by an older name. */
const REPEATED = [
  ["kubernetes.io/os", "beta.kubernetes.io/os"],
  ["kubernetes.io/arch", "beta.kubernetes.io/arch"],
] as const;

/** The labels to set so that the deprecated names have the values of the current ones; none when they have. */
export function repeatedLabels(labels: Readonly<Record<string, string>> = {}): Record<string, string> {
  const wrong: Record<string, string> = {};
  for (const [name, older] of REPEATED) {
    const value = labels[name];
    if (value !== undefined && labels[older] !== value) wrong[older] = value;
  }
  return wrong;
}
