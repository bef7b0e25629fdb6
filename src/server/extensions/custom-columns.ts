import type { FieldsOf } from "../../machinery/meta/received.js";
import type {
  CustomResourceDefinitionVersion,
  CustomResourceColumnDefinition,
} from "../../api/types/apiextensions/v1.js";
import { canonicalizeTime, TimeParseError } from "../../machinery/text/go/go-time.js";
import { humanDuration } from "../../machinery/text/duration/human-duration.js";
import { JsonPath } from "../../machinery/text/jsonpath/jsonpath.js";
import { objects, text } from "../../machinery/meta/access.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { TableCell, TableColumnDefinition, TableColumns } from "../registry/table-columns.js";

const NAME: TableColumnDefinition = {
  name: "Name",
  type: "string",
  format: "name",
  description: "Name, unique within its namespace where the resource has one.",
  priority: 0,
};
const AGE = {
  name: "Age",
  type: "date",
  jsonPath: ".metadata.creationTimestamp",
  description: "When the server created the object.",
} satisfies FieldsOf<CustomResourceColumnDefinition>;

/**
 * The table of a version: the name, then its additionalPrinterColumns; without any, the age. A column with an invalid JSONPath
 * ends the table: it and the later columns are left out, because definitions with such columns are accepted. Source:
 * apiextensions' tableconvertor.
 */
export function customColumns(version: FieldsOf<CustomResourceDefinitionVersion>): TableColumns {
  const columns: PrinterColumn[] = [];
  for (const fields of objects(version.additionalPrinterColumns)) {
    const column = columnOf(fields);
    if (column === undefined) break;
    columns.push(column);
  }
  return tableOf(objects(version.additionalPrinterColumns).length === 0 ? undefined : columns);
}

/** Makes a table: the name, then these columns; the age where they are undefined. */
export function tableOf(columns: readonly PrinterColumn[] = ageColumn()): TableColumns {
  return {
    definitions: [NAME, ...columns.map(({ definition }) => definition)],
    cells: (object, now) => [object.metadata?.name ?? "", ...columns.map(({ cell }) => cell(object, now))],
  };
}

function ageColumn(): readonly PrinterColumn[] {
  const age = columnOf(AGE);
  return age === undefined ? [] : [age];
}

/** A column of a table after the name. */
export interface PrinterColumn {
  readonly definition: TableColumnDefinition;
  readonly cell: (object: KubeObject, now: number) => TableCell;
}

/** Makes a column; undefined for one whose JSONPath does not parse. */
export function columnOf(column: FieldsOf<CustomResourceColumnDefinition>): PrinterColumn | undefined {
  const jsonPath = text(column.jsonPath);
  const type = text(column.type) as TableColumnDefinition["type"];
  const path = parsed(jsonPath);
  if (path === undefined) return undefined;
  return {
    definition: {
      name: text(column.name),
      type,
      format: text(column.format),
      description: text(column.description) || `Custom resource definition column (in JSONPath format): ${jsonPath}`,
      priority: typeof column.priority === "number" ? column.priority : 0,
    } satisfies FieldsOf<TableColumnDefinition>,
    cell(object, now) {
      try {
        if (type === "string") return path.printFirst(object) ?? null;
        return cellOf(type, path.find(object)[0]?.[0], now);
      } catch {
        return null;
      }
    },
  };
}

function parsed(jsonPath: string): JsonPath | undefined {
  try {
    return new JsonPath(`{${jsonPath}}`, { allowMissingKeys: true });
  } catch {
    return undefined;
  }
}

/** A value of another type than the column's has no cell. */
function cellOf(type: string, value: unknown, now: number): TableCell {
  switch (type) {
    case "integer":
      return isNumber(value) ? Math.trunc(Number(value)) : null;
    case "number":
      return isNumber(value) ? Number(value) : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? dateCell(value, now) : null;
    default:
      return null;
  }
}

/** A time of RFC 3339 as an age; the texts that metav1.Time reads as no time are unknown, all others invalid. */
function dateCell(value: string, now: number): string {
  if (value === "" || value === "null") return UNKNOWN;
  try {
    const time = canonicalizeTime(value);
    return time === ZERO_TIME ? UNKNOWN : humanDuration(now - Date.parse(time));
  } catch (error) {
    if (error instanceof TimeParseError) return "<invalid>";
    throw error;
  }
}

const UNKNOWN = "<unknown>";
const ZERO_TIME = "0001-01-01T00:00:00Z";

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";
