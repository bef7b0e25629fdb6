import type { ReplicaSet } from "../../api/types/apps/v1.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import type { ControllerContext } from "../context.js";
import { controlledObjects, controllerOf } from "../owned-pods/controller-ref.js";
import { ReplicaController } from "./replica-controller.js";

const KIND = { apiVersion: "apps/v1", kind: "ReplicaSet" } as const;

/** Keeps the pods of ReplicaSets. */
export function replicaSetController(context: ControllerContext): void {
  const { client, manager } = context;
  const sets = manager.informers.of(KIND.apiVersion, KIND.kind);
  const controlled = controlledObjects(sets);
  const siblings = (set: ReplicaSet): readonly ReplicaSet[] => {
    const owner = controllerOf(set);
    return owner === undefined ? [set] : controlled.controlledBy(owner.uid);
  };
  const replicas = new ReplicaController<ReplicaSet>(context, {
    ...KIND,
    objects: client.of(KIND.apiVersion, KIND.kind),
    owners: sets.lister,
    selectorOf: ({ spec }) => readSelector(spec?.selector),
    countsTerminating: true,
    component: "replicaset-controller",
    siblings,
    enqueue: (key, after) => controller.enqueue(key, after),
  });
  const controller = manager
    .controllerFor(KIND.apiVersion, KIND.kind)
    .named("replicaset-controller")
    .workers(5)
    .reads("v1", "Pod")
    .reconcile(({ namespace, name, object }) => replicas.reconcile(namespace, name, object));
}
