import { number, object, type ReadonlyFields } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
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
export function replicaCells(workload: KubeObject, now: number) {
  const status = object(workload.status);
  return [
    name(workload),
    number(object(workload.spec).replicas),
    number(status.replicas),
    number(status.readyReplicas),
    age(workload, now),
  ];
}

/** The pod spec of a workload's template. */
export function templateSpec(workload: KubeObject): ReadonlyFields {
  return object(object(object(workload.spec).template).spec);
}
