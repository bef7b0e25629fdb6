import type { ReplicaSet } from "../../../api/types/apps/v1.js";
import type { PodSpec, PodTemplateSpec, ReplicationController } from "../../../api/types/core/v1.js";
import { number, object, type Received, type ReceivedObject } from "../../../machinery/meta/received.js";
import { age, name } from "./cells.js";
import { type ColumnSpec, WIDE_TEMPLATE } from "./columns.js";

/** The columns of what keeps a number of pods. */
export const REPLICA_COLUMNS: readonly ColumnSpec[] = [
  "Name",
  ["Desired:integer", "How many pods the spec asks for."],
  ["Current:integer", "How many pods there are."],
  ["Ready:integer", "How many pods are ready."],
  "Age",
  ...WIDE_TEMPLATE,
];

/** The cells of {@link REPLICA_COLUMNS} but those of the template. */
export function replicaCells(workload: ReceivedObject<ReplicaSet | ReplicationController>, now: number) {
  const status = object(workload.status);
  return [
    name(workload),
    number(object(workload.spec).replicas),
    number(status.replicas),
    number(status.readyReplicas),
    age(workload, now),
  ];
}

/** What makes pods of a template. */
interface Templated {
  spec?: { template?: PodTemplateSpec };
}

/** The pod spec of a workload's template. */
export function templateSpec(workload: ReceivedObject<Templated>): Partial<Received<PodSpec>> {
  return object(object(object(workload.spec).template).spec);
}
