import type { ReplicationController } from "../../api/types/core/v1.js";
import { readSelector } from "../../machinery/selectors/api-label-selector.js";
import type { ControllerContext } from "../context.js";
import { ReplicaController } from "../replica-set/replica-controller.js";

const KIND = { apiVersion: "v1", kind: "ReplicationController" } as const;

/** Keeps the pods of ReplicationControllers, as those of ReplicaSets are kept. */
export function replicationController(context: ControllerContext): void {
  const { client, manager } = context;
  const replicas = new ReplicaController<ReplicationController>(context, {
    ...KIND,
    objects: client.of(KIND.apiVersion, KIND.kind),
    owners: manager.informers.of(KIND.apiVersion, KIND.kind).lister,
    selectorOf: ({ spec }) => readSelector({ matchLabels: spec?.selector ?? {} }),
    countsTerminating: false,
    component: "replication-controller",
    siblings: (owner) => [owner],
    enqueue: (key, after) => controller.enqueue(key, after),
  });
  const controller = manager
    .controllerFor(KIND.apiVersion, KIND.kind)
    .named("replicationcontroller-controller")
    .workers(5)
    .reads("v1", "Pod")
    .reconcile(({ namespace, name, object }) => replicas.reconcile(namespace, name, object));
}
