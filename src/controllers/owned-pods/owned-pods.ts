import type { Pod } from "../../api/types/core/v1.js";
import type { InformerFactory, Lister } from "../../client/informers/index.js";
import { objectKey } from "../../client/informers/index.js";
import type { ApiObject } from "../../machinery/meta/object.js";
import type { LabelSelector } from "../../machinery/selectors/label-selector.js";
import { deepEqual } from "../../machinery/patch/json-values.js";
import {
  type ControlledObjects,
  controlledObjects,
  type ControllerKind,
  controllerOf,
  managerIn,
} from "./controller-ref.js";
import type { Expectations } from "./expectations.js";
import { isReady } from "./pod-state.js";

export interface FollowPodsOptions<O extends ApiObject> {
  readonly kind: ControllerKind;
  readonly owners: Lister<O>;
  /** Undefined for an owner whose selector cannot be read. */
  readonly selectorOf: (owner: O) => LabelSelector | undefined;
  readonly expectations: Expectations;
  /** Reconciles the owner of that key, at once or later. */
  readonly enqueue: (key: string, afterMilliseconds?: number) => void;
  /** The owner's minReadySeconds: a pod that becomes ready makes it look again after them. */
  readonly minReadySeconds?: (owner: O) => number;
}

/** Watches pods: fulfils expectations, and reconciles the owners of pods that change. Call it before the informers start. */
export function followPods<O extends ApiObject>(
  informers: InformerFactory,
  { kind, owners, selectorOf, expectations, enqueue, minReadySeconds }: FollowPodsOptions<O>,
): ControlledObjects<Pod> {
  const pods = informers.of("v1", "Pod");
  const ownerOf = (pod: Pod): O | undefined => managerIn(owners, kind, pod);
  /** The owners that may adopt an orphan. */
  const adopters = (pod: Pod): readonly O[] =>
    owners
      .namespace(pod.metadata?.namespace ?? "")
      .list()
      .filter((owner) => selectorOf(owner)?.matches(pod.metadata?.labels) === true);
  const deleted = (pod: Pod): void => {
    const owner = ownerOf(pod);
    if (owner === undefined) return;
    const key = objectKey(owner);
    expectations.deleted(key, objectKey(pod));
    enqueue(key);
  };
  pods.addHandler({
    added(pod) {
      // A pod that was deleted while no handler was there yet.
      if (pod.metadata?.deletionTimestamp !== undefined) return deleted(pod);
      const owner = ownerOf(pod);
      if (owner !== undefined) {
        expectations.created(objectKey(owner));
        enqueue(objectKey(owner));
      } else if (controllerOf(pod) === undefined) for (const one of adopters(pod)) enqueue(objectKey(one));
    },
    updated(before, after) {
      if (before.metadata?.resourceVersion === after.metadata?.resourceVersion) return;
      const labelsChanged = !deepEqual(before.metadata?.labels ?? {}, after.metadata?.labels ?? {});
      if (after.metadata?.deletionTimestamp !== undefined) {
        deleted(after);
        // Its labels may have changed before the deletion, and another owner may have waited for it.
        if (labelsChanged) deleted(before);
        return;
      }
      const controllerChanged = controllerOf(before)?.uid !== controllerOf(after)?.uid;
      const [last, owner] = [ownerOf(before), ownerOf(after)];
      if (controllerChanged && last !== undefined) enqueue(objectKey(last));
      if (owner !== undefined) {
        enqueue(objectKey(owner));
        const seconds = minReadySeconds?.(owner) ?? 0;
        if (seconds > 0 && !isReady(before) && isReady(after)) enqueue(objectKey(owner), seconds * 1000 + 1000);
        return;
      }
      if (controllerOf(after) !== undefined || !(labelsChanged || controllerChanged)) return;
      for (const one of adopters(after)) enqueue(objectKey(one));
    },
    deleted,
  });
  return controlledObjects(pods);
}
