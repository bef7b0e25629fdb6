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

/** meta.k8s.io/v1 TableRowCondition. */
export interface TableRowCondition {
  readonly type: "Completed";
  readonly status: "True";
  readonly reason: string;
  readonly message: string;
}

export interface TableColumns<Seen = KubeObject> {
  readonly definitions: readonly TableColumnDefinition[];
  /**
   * Returns a cell for each definition; kube-apiserver's rows of a kind may have cells beyond them, which clients leave out. `now` is
   * milliseconds since the epoch, for ages and durations.
   */
  cells(object: Seen, now: number): readonly TableCell[];
  /** What clients may filter or mark rows by. Default: none. */
  conditions?(object: Seen): readonly TableRowCondition[];
  /**
   * The columns for rows that depend on one another: of the objects of one answer, or of all objects of the resource for an answer with one. Left
   * out: no row depends on another.
   */
  among?(objects: readonly Seen[]): TableColumns<Seen>;
  /** Orders the rows of a list. Default: as the list has them. */
  order?(a: Seen, b: Seen): number;
}
