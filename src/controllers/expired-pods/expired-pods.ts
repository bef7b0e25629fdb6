import type { FieldsOf } from "../../machinery/meta/received.js";
import type { DeleteOptions } from "../../api/types/meta/v1.js";
import { RateLimitingQueue, runWorkers } from "../../client/workqueue/index.js";
import { isConflict, isNotFound } from "../../machinery/errors/status-error.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { ControllerContext, OwnWork } from "../context.js";

/** How many pods are deleted at a time. */
const WORKERS = 5;
/** The server itself removes a pod without a grace period, right after the change that marks it as deleted. */
const SHORTEST_GRACE_MS = 1;

/** Finishes the deletion of pods whose grace period is over, except on nodes whose kubelet does so. */
export function expiredPods({ cluster, client, manager, clock, timers, signal, report }: ControllerContext): OwnWork {
  /** "<namespace>/<name>/<uid>": a later pod of the same name is another item, with another grace period. */
  const queue = new RateLimitingQueue<string>({ timers });
  const changed = ({ metadata = {} }: ApiObject): void => {
    const { namespace, name, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp === undefined) return;
    const left = Date.parse(deletionTimestamp) - clock.now();
    queue.addAfter(`${namespace}/${name}/${uid}`, Math.max(left, SHORTEST_GRACE_MS));
  };
  const pods = manager.informers.of("v1", "Pod");
  pods.addHandler({ added: changed, updated: (_, pod) => changed(pod) });

  async function finish(key: string): Promise<void> {
    const [namespace = "", name = "", uid = ""] = key.split("/");
    const pod = pods.lister.namespace(namespace).get(name);
    if (pod?.metadata?.uid !== uid || cluster.hasKubelet?.(pod.spec?.nodeName ?? "") === true) return;
    try {
      const now = { gracePeriodSeconds: 0, preconditions: { uid } } satisfies FieldsOf<DeleteOptions>;
      await client.of("v1", "Pod").namespace(namespace).delete(name, now);
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
  return {
    run: () => runWorkers(queue, { workers: WORKERS, signal, work: finish, report: ({ error }) => report(error) }),
  };
}
