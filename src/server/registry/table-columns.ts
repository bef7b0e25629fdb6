import type { KubeObject } from "../../machinery/meta/object.js";

/** meta.k8s.io/v1 TableColumnDefinition. */
export interface TableColumnDefinition {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  /** "name" for the column of the object's name, else "". */
  readonly format: string;
  readonly description: string;
  /** 0 is always shown; 1 and above only with -o wide. */
  readonly priority: number;
}

export type TableCell = string | number | boolean | null;

export interface TableColumns {
  readonly definitions: readonly TableColumnDefinition[];
  /** Returns one cell per definition. `now` is milliseconds since the epoch, for ages and durations. */
  cells(object: KubeObject, now: number): readonly TableCell[];
}
