import type { KubeObject } from "../../../machinery/meta/object.js";
import type { TableCell, TableColumnDefinition, TableColumns } from "../../registry/table-columns.js";

/** "Name", or "Name:type", or "Name:type:1" for a column that only -o wide shows. */
export type ColumnSpec = string;

/** Columns declared in one line each; the first one named "Name" holds the object's name. */
export function columns(
  specs: readonly ColumnSpec[],
  cells: (object: KubeObject, now: number) => readonly TableCell[],
): TableColumns {
  return { definitions: specs.map(definition), cells };
}

function definition(spec: ColumnSpec): TableColumnDefinition {
  const [name = "", type = "string", priority = "0"] = spec.split(":");
  return {
    name,
    type: type as TableColumnDefinition["type"],
    format: name === "Name" ? "name" : "",
    description: DESCRIPTIONS[name] ?? "",
    priority: Number(priority),
  };
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  Name: "The name of the object, unique among its kind in a namespace (or in the cluster).",
  Age: "How long ago the object was created.",
  Containers: "The names of the containers of the pod template.",
  Images: "The images of the containers of the pod template.",
  Selector: "The label selector that picks the pods.",
};

/** The columns of what templates pods, shown by -o wide. */
export const WIDE_TEMPLATE: readonly ColumnSpec[] = ["Containers:string:1", "Images:string:1", "Selector:string:1"];
