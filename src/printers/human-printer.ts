import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../base/time/clock.js";
import { humanDuration } from "../machinery/text/duration/human-duration.js";
import { goV } from "../machinery/text/go/go-values.js";
import type { GroupKind } from "../machinery/meta/gvk.js";
import type { JsonValue } from "../machinery/meta/json.js";
import type { KubeObject } from "../machinery/meta/object.js";
import { headingCells, type Look, rowCells, tableColumns } from "./look.js";
import { isPrintableEvent, listItems, type Output, type Printer } from "./printer.js";
import { asTable, type Table, type TableColumn, type TableRow } from "./table.js";
import { escapeForTerminal } from "./terminal-escape.js";

export interface HumanPrintOptions {
  readonly noHeaders: boolean;
  readonly wide: boolean;
  readonly withNamespace: boolean;
  /** Set: names are shown as kind.group/name. */
  readonly kind?: GroupKind | undefined;
  readonly columnLabels: readonly string[];
  readonly showLabels: boolean;
  readonly look: Look;
  /** For the AGE of objects that came without a Table. */
  readonly clock: Clock;
}

/**
 * Prints Tables, and of other objects the name and age, as tab-separated cells: give it a TabWriter's `write`. Headings
 * come once, and again when the columns change. A Table without columns has those of the one before, as in a watch.
 */
export function humanPrinter(options: HumanPrintOptions): Printer {
  return new HumanPrinter(options);
}

class HumanPrinter implements Printer {
  readonly #options: HumanPrintOptions;
  #columns: readonly TableColumn[] = [];
  #headingsPrinted = false;
  #lastPlain: "status" | "object" | undefined;

  constructor(options: HumanPrintOptions) {
    this.#options = options;
  }

  print(object: KubeObject, out: Output): void {
    if (isPrintableEvent(object)) this.#print(object.object, object.type, out);
    else this.#print(object, "", out);
  }

  #print(object: KubeObject, event: string, out: Output): void {
    const table = asTable(object);
    if (table === undefined) this.#printPlain(object, event, out);
    else this.#printTable(table, event, out);
  }

  #printTable(table: Table, event: string, out: Output): void {
    const given = table.columnDefinitions;
    const same = given.length === 0 || isDeepStrictEqual(given, this.#columns);
    const noHeaders = this.#options.noHeaders || (this.#headingsPrinted && same);
    if (!same) {
      this.#columns = given;
      this.#headingsPrinted = false;
    }
    if (table.rows.length > 0) this.#headingsPrinted = true;
    const decorated = decorate({ columnDefinitions: this.#columns, rows: table.rows }, this.#options);
    writeTable(event === "" ? decorated : withEvent(decorated, event), noHeaders, this.#options, out);
  }

  #printPlain(object: KubeObject, event: string, out: Output): void {
    const { kind, noHeaders, withNamespace, columnLabels, showLabels, clock, look } = this.#options;
    const form = object.kind === "Status" && object.apiVersion === "v1" ? "status" : "object";
    if (this.#lastPlain !== undefined && this.#lastPlain !== form && !noHeaders) out("\n");
    const headings = [
      ...(event === "" ? [] : ["EVENT"]),
      ...(withNamespace ? ["NAMESPACE"] : []),
      ...(form === "status" ? ["STATUS", "REASON", "MESSAGE"] : ["NAME", "AGE"]),
      ...columnLabels.map(labelHeading),
      ...(showLabels ? ["LABELS"] : []),
    ];
    const headed = this.#lastPlain !== form && !noHeaders;
    out.table?.(tableColumns(headings, headed));
    if (headed) out(`${headingCells(look, headings).join("\t")}\n`);
    for (const item of form === "status" ? [object] : (listItems(object) ?? [object])) {
      const [first = "", ...rest] = form === "status" ? statusCells(item) : objectCells(item, clock);
      const cells = [
        ...(event === "" ? [] : [eventCell(event)]),
        ...(withNamespace ? [item.metadata?.namespace ?? ""] : []),
        kind === undefined ? first : `${kindPrefix(kind)}/${first}`,
        ...rest,
        ...labelCells(item, columnLabels, showLabels),
      ];
      out(`${rowCells(look, headings, cells).join("\t")}\n`);
    }
    this.#lastPlain = form;
  }
}

function objectCells({ metadata }: KubeObject, clock: Clock): string[] {
  const created = metadata?.creationTimestamp;
  const age = typeof created === "string" ? humanDuration(clock.now() - Date.parse(created)) : "<unknown>";
  return [metadata?.name ?? "", age];
}

function statusCells(status: KubeObject): string[] {
  return [status["status"], status["reason"], status["message"]].map((value) => goV((value ?? "") as JsonValue));
}

/** "deployment.apps", "pod". */
function kindPrefix({ group, kind }: GroupKind): string {
  return (group === "" ? kind : `${kind}.${group}`).toLowerCase();
}

/** Adds the namespace, kind and label columns that were asked for. */
function decorate(table: Table, options: HumanPrintOptions): Table {
  const { kind, withNamespace, columnLabels, showLabels } = options;
  const added = (name: string): TableColumn => ({ name, type: "string" });
  const nameColumn =
    kind === undefined
      ? -1
      : table.columnDefinitions.findIndex(({ format, type }) => format === "name" && type === "string");
  const prefix = kind === undefined ? "" : `${kindPrefix(kind)}/`;
  const rows = table.rows.map(({ cells, object }): TableRow => {
    const named = cells.map((cell, index) => (index === nameColumn ? `${prefix}${goV(cell)}` : cell));
    const labels = object === undefined ? [] : labelCells(object, columnLabels, showLabels);
    return { cells: [...(withNamespace ? [object?.metadata?.namespace ?? null] : []), ...named, ...labels], object };
  });
  return {
    columnDefinitions: [
      ...(withNamespace ? [added("Namespace")] : []),
      ...table.columnDefinitions,
      ...columnLabels.map((label) => added(labelHeading(label))),
      ...(showLabels ? [added("Labels")] : []),
    ],
    rows,
  };
}

function withEvent(table: Table, event: string): Table {
  return {
    columnDefinitions: [{ name: "Event", type: "string" }, ...table.columnDefinitions],
    rows: table.rows.map((row) => ({ ...row, cells: [eventCell(event), ...row.cells] })),
  };
}

/** Padded, so that the columns of a watch do not jump. */
function eventCell(event: string): string {
  return ["ADDED", "MODIFIED", "DELETED", "ERROR"].includes(event) ? event.padEnd(8) : event;
}

function writeTable(
  { columnDefinitions, rows }: Table,
  noHeaders: boolean,
  { wide, look }: HumanPrintOptions,
  out: Output,
): void {
  const shown = columnDefinitions.map(({ priority = 0 }) => wide || priority === 0);
  const headings = columnDefinitions.filter((_, index) => shown[index]).map(({ name }) => name.toUpperCase());
  if (rows.length === 0) return;
  out.table?.(tableColumns(headings, !noHeaders));
  const cellsOf = ({ cells }: TableRow): readonly JsonValue[] => cells.filter((_, index) => shown[index] === true);
  const widths = primedWidths(rows, cellsOf);
  if (!noHeaders) out(`${headingCells(look, headings).map(primed(widths, headings)).join("\t")}\n`);
  for (const [index, row] of rows.entries()) {
    const held = cellsOf(row);
    const cells = rowCells(look, headings, held.map(cellText));
    const isFirst = noHeaders && index === 0;
    out(`${(isFirst ? cells.map(primed(widths, held.map(goText))) : cells).join("\t")}\n`);
  }
}

/**
 * The bytes of the longest cell of each column, which kubectl 1.37 counts with what it cuts off at a line's end (K37-220). Undefined for the last
 * column, and where the column is as wide anyway.
 */
function primedWidths(
  rows: readonly TableRow[],
  cellsOf: (row: TableRow) => readonly JsonValue[],
): readonly (number | undefined)[] {
  if (rows.every(({ cells }) => cells.every(isAsWideAsLong))) return [];
  const [bytes, widths]: [number[], number[]] = [[], []];
  for (const row of rows) {
    for (const [column, cell] of cellsOf(row).slice(0, -1).entries()) {
      bytes[column] = Math.max(bytes[column] ?? 0, Buffer.byteLength(goText(cell)));
      widths[column] = Math.max(widths[column] ?? 0, cellText(cell).length);
    }
  }
  return bytes.map((count, column) => (count > (widths[column] ?? 0) ? count : undefined));
}

/** Whether a cell is shown whole, a byte for each character. */
const isAsWideAsLong = (cell: JsonValue): boolean =>
  typeof cell === "string" ? ASCII.test(cell) : typeof cell !== "object" || cell === null;

const ASCII = /^[ -~]*$/;

/** Fills the first line of a table up to the widths. `texts` are its cells without colours. */
const primed =
  (widths: readonly (number | undefined)[], texts: readonly string[]) =>
  (cell: string, column: number): string =>
    cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - Buffer.byteLength(texts[column] ?? "")));

const goText = (cell: JsonValue): string => (cell === null ? "" : typeof cell === "string" ? cell : goV(cell));

/** Only the first line of a cell is shown. */
function cellText(cell: JsonValue): string {
  if (cell === null) return "";
  if (typeof cell !== "string") return escapeForTerminal(goV(cell));
  const end = cell.search(/[\f\n\r]/);
  return end === -1 ? escapeForTerminal(cell) : `${escapeForTerminal(cell.slice(0, end))}...`;
}

/** Formats labels: "a=1,b=2" in the order of the keys; "<none>" without any. */
export function formatLabels(labels: Readonly<Record<string, string>> | undefined): string {
  const pairs = Object.entries(labels ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return pairs.map(([key, value]) => `${key}=${value}`).join(",") || "<none>";
}

/** The heading of a label column: what follows the last slash. */
function labelHeading(label: string): string {
  return label.slice(label.lastIndexOf("/") + 1).toUpperCase();
}

/** The cells that -L and --show-labels add. */
function labelCells(object: KubeObject | undefined, labels: readonly string[], all: boolean): string[] {
  const held = object?.metadata?.labels;
  const cells = labels.map((label) => (held !== undefined && Object.hasOwn(held, label) ? (held[label] ?? "") : ""));
  return all ? [...cells, formatLabels(held)] : cells;
}
