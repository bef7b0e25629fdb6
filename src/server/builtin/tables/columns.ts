import { dictionary } from "../../../base/collections/dictionary.js";
import type { ReplicaSet } from "../../../api/types/apps/v1.js";
import type { PodSpec, PodTemplateSpec, ReplicationController } from "../../../api/types/core/v1.js";
import type { ApiObject } from "../../../machinery/meta/object.js";
import { number, object, type Received, type ReceivedObject } from "../../../machinery/meta/received.js";
import type { TableColumnDefinition, TableColumns } from "../../registry/table-columns.js";
import { age, name } from "./cells.js";

/**
 * "Title", or "Title:type", or "Title:type:1" for a column that only -o wide shows, or "Title:type:0:format". Its description stands
 * beside it, unless the title is one of those that many kinds share.
 */
export type ColumnSpec = string | readonly [spec: string, description: string];

/** Makes columns that are declared in one line each; one with the title "Name" has the format "name" unless its spec gives a format. */
export function columns<Seen extends ApiObject = ApiObject>(
  specs: readonly ColumnSpec[],
  cells: TableColumns<Seen>["cells"],
  more: Pick<TableColumns<Seen>, "among" | "conditions" | "order"> = {},
): TableColumns<Seen> {
  return { definitions: specs.map(definition), cells, ...more };
}

function definition(spec: ColumnSpec): TableColumnDefinition {
  const [short, description] = typeof spec === "string" ? [spec, undefined] : spec;
  const [name = "", type = "string", priority = "0", format = name === "Name" ? "name" : ""] = short.split(":");
  return {
    name,
    type: type as TableColumnDefinition["type"],
    format,
    description: description ?? SHARED_DESCRIPTIONS[name] ?? "",
    priority: Number(priority),
  };
}

const SHARED_DESCRIPTIONS: Readonly<Record<string, string>> = dictionary({
  Name: "The name of the object, unique among its kind in a namespace (or in the cluster).",
  Age: "How long ago the object was created.",
  Containers: "The names of the containers of the pod template.",
  Images: "The images of the containers of the pod template.",
  Selector: "The label selector that picks the pods.",
});

/** The columns of kinds with a pod template, shown by -o wide. */
export const WIDE_TEMPLATE: readonly ColumnSpec[] = ["Containers:string:1", "Images:string:1", "Selector:string:1"];

/** The table of a kind with name and age only. */
export const NAME_AND_AGE: TableColumns<ApiObject> = columns(["Name", "Age"], (object, now) => [
  name(object),
  age(object, now),
]);

/** The columns of kinds with replicas. */
export const REPLICA_COLUMNS: readonly ColumnSpec[] = [
  "Name",
  ["Desired:integer", "How many pods the spec asks for."],
  ["Current:integer", "How many pods there are."],
  ["Ready:integer", "How many pods are ready."],
  "Age",
  ...WIDE_TEMPLATE,
];

/** The cells of {@link REPLICA_COLUMNS}, without those of the template. */
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
