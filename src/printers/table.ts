import type { JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";

/** meta.k8s.io Table: the form in which a server summarizes objects for people. */
export interface Table {
  readonly columnDefinitions: readonly TableColumn[];
  readonly rows: readonly TableRow[];
}

export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** 0 is always shown, more only with -o wide. */
  readonly priority?: number;
}

export interface TableRow {
  readonly cells: readonly JsonValue[];
  /** PartialObjectMetadata, the object, or nothing, as includeObject asked. */
  readonly object?: KubeObject | undefined;
}

/** Reads an object as a Table; undefined for another object. Null lists become empty. */
export function asTable(object: KubeObject): Table | undefined {
  const { kind, apiVersion } = object;
  if (kind !== "Table" || (apiVersion !== "meta.k8s.io/v1" && apiVersion !== "meta.k8s.io/v1beta1")) return undefined;
  const { columnDefinitions, rows } = object;
  return {
    columnDefinitions: Array.isArray(columnDefinitions) ? (columnDefinitions as TableColumn[]) : [],
    rows: Array.isArray(rows) ? rows.map((row: TableRow) => ({ ...row, cells: row.cells ?? [] })) : [],
  };
}

/** Converts the Table back to an object. */
export function fromTable(table: Table): KubeObject {
  return { kind: "Table", apiVersion: "meta.k8s.io/v1", columnDefinitions: table.columnDefinitions, rows: table.rows };
}
