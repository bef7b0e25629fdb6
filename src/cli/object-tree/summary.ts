import type { KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import { asTable, type Table, type TableRow } from "../../printers/table.js";

/** The properties of an object that a tree shows. */
export interface Summary {
  /** "deployment.apps/web". */
  readonly title: string;
  readonly metadata: NonNullable<KubeObject["metadata"]>;
  /** "" where the server's table says nothing of it. */
  readonly ready: string;
  readonly status: string;
  /** The age of the server's table; "" when the server makes no tables. */
  readonly age: string;
}

export const uidOf = ({ metadata }: Summary): string => metadata.uid ?? "";

/** The Accept header for the server's own Table, which summarizes every kind, extensions included. */
export const SUMMARY_ACCEPT = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

/** Reads an answer to {@link SUMMARY_ACCEPT}: a table, or the objects from a server that makes no tables. */
export function summaries(answer: KubeObject, mapping: RestMapping): readonly Summary[] {
  const table = asTable(answer);
  if (table === undefined) {
    const objects = Array.isArray(answer.items) ? (answer.items as readonly KubeObject[]) : [answer];
    return objects.map((object) => summary(mapping, object, { ready: "", status: "", age: "" }));
  }
  return table.rows.map((row) => {
    const shown = { ready: readiness(table, row), status: cell(table, row, "Status"), age: cell(table, row, "Age") };
    return summary(mapping, row.object ?? {}, shown);
  });
}

type Shown = Pick<Summary, "ready" | "status" | "age">;

function summary(mapping: RestMapping, { metadata = {} }: KubeObject, { ready, status, age }: Shown): Summary {
  const title = titleOf(mapping.kind, metadata.name ?? "");
  const isGoing = metadata.deletionTimestamp !== undefined;
  return { title, metadata, ready, status: isGoing ? "Terminating" : status || statusOf(ready), age };
}

/** Returns the title of an object as -o name prints it: "deployment.apps/web". */
export function titleOf({ group, kind }: RestMapping["kind"], name: string): string {
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
}

/** "1/2": the columns Ready, where it is not a fraction itself with Desired, or Completions. */
function readiness(table: Table, row: TableRow): string {
  const ready = cell(table, row, "Ready");
  const desired = cell(table, row, "Desired");
  if (/^\d+$/.test(ready) && desired !== "") return `${ready}/${desired}`;
  return ready || cell(table, row, "Completions");
}

function statusOf(ready: string): string {
  const [have, want] = ready.split("/");
  return want === undefined ? "" : have === want ? "Ready" : "NotReady";
}

function cell({ columnDefinitions }: Table, { cells }: TableRow, column: string): string {
  const value = cells[columnDefinitions.findIndex(({ name }) => name === column)] ?? "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
