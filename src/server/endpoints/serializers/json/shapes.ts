import type { FieldsOf } from "../../../../machinery/meta/received.js";
import type { Table, PartialObjectMetadata } from "../../../../api/types/meta/v1.js";
import { append } from "../../../../base/collections/append.js";
import { encodeObject } from "../../../../machinery/wire/encode.js";
import type { ListMeta, ApiObject, KubeObject } from "../../../../machinery/meta/object.js";
import type {
  TableCell,
  TableColumnDefinition,
  TableColumns,
  TableRowCondition,
} from "../../../registry/table-columns.js";
import type { StoredObject } from "../../../storage/store.js";
import type { ResponseFormat } from "../../negotiation/response-format.js";
import { metaSchema, PARTIAL_OBJECT_METADATA } from "../../meta-kinds.js";
import type { ServedResource } from "../../served-resource.js";
import type { BookmarkMetadata, View } from "../serializer.js";
import { jsonBytes, jsonText } from "./json-text.js";
import { reorderedMetadata } from "./sorted-metadata.js";
import { spliceMetadata } from "./splice.js";
import { encodeEmpty, encodeStored } from "./stored-json.js";

/** Encodes objects in the shape that one request wants: the plain kind, metadata only, or rows of a table. */
export interface Shaper {
  /** Encodes one object with kind and apiVersion, without a newline. A table has one row. */
  one(stored: StoredObject, firstOfStream?: boolean): Uint8Array;
  /** Encodes an object of the kind with `metadata` alone. */
  bookmark(metadata: BookmarkMetadata, firstOfStream: boolean): Uint8Array;
}

/** Encodes the PartialObjectMetadata of an object, fields in Go's order, without a newline. */
export function partialMetadata(object: KubeObject, format: ResponseFormat): Uint8Array {
  const { metadata = {} } = object;
  const apiVersion = `meta.k8s.io/${format.metaVersion}`;
  return encodeObject(
    { kind: "PartialObjectMetadata", apiVersion, metadata } satisfies FieldsOf<PartialObjectMetadata>,
    metaSchema(PARTIAL_OBJECT_METADATA),
  );
}

/** As {@link partialMetadata}, for a stored object, whose bytes contain the result unless the version converts it. */
export function storedMetadata({ resource, format }: View, stored: StoredObject): Uint8Array {
  const prepared = resource.codec.preparedObject(stored);
  if (prepared !== undefined) return partialMetadata(prepared, format);
  const { bytes, revision } = stored;
  const head = `{"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/${format.metaVersion}",`;
  // What was never written has no version.
  if (revision > 0) {
    const key = `${head}application/json`;
    const made = spliceMetadata(bytes, revision, head) ?? stored.encodings.get(key);
    if (made !== undefined) return made;
    const reordered = reorderedMetadata(bytes, revision, head);
    if (reordered !== undefined) {
      stored.encodings.set(key, reordered);
      return reordered;
    }
  }
  return partialMetadata(stored.object(), format);
}

export interface TableRow {
  readonly cells: readonly TableCell[];
  readonly conditions?: readonly TableRowCondition[];
  /** The JSON of the object that the row contains. */
  readonly object: Uint8Array;
}

const NULL: Uint8Array = Buffer.from("null");

export function tableRow(view: View, stored: StoredObject, columns: TableColumns): TableRow {
  const { resource, include } = view;
  const shown = resource.codec.preparedObject(stored) ?? stored.object();
  const cells = columns.cells(shown, resource.now());
  const conditions = columns.conditions?.(shown) ?? [];
  const row = conditions.length === 0 ? { cells } : ({ cells, conditions } satisfies FieldsOf<TableRow>);
  if (include === "None") return { ...row, object: NULL };
  if (include === "Object") return { ...row, object: encodeStored(resource.codec, stored) };
  return { ...row, object: storedMetadata(view, stored) };
}

/** Returns the columns of a resource at the served version. */
export const columnsOf = ({ strategy, codec, release }: ServedResource): TableColumns =>
  strategy.columnsAt?.(codec.apiVersion, release) ?? strategy.columns;

/**
 * Returns the JSON of a meta.k8s.io Table around its rows. `definitions` is null for events of a watch after the first, which leave them
 * out.
 */
export function tableEnvelope(
  format: ResponseFormat,
  metadata: object,
  definitions: readonly TableColumnDefinition[] | null,
): Readonly<Record<string, unknown>> {
  const columns =
    definitions?.map(
      ({ name, type, format: columnFormat, description, priority }) =>
        ({
          name,
          type,
          format: columnFormat,
          description,
          priority,
        }) satisfies FieldsOf<TableColumnDefinition>,
    ) ?? null;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${format.metaVersion}`,
    metadata,
    columnDefinitions: columns,
  } satisfies FieldsOf<Table>;
}

/** Returns the JSON of a row, in parts. */
export const rowParts = ({ cells, conditions, object }: TableRow): readonly Uint8Array[] => [
  Buffer.from(
    `${jsonText(conditions === undefined ? ({ cells } satisfies FieldsOf<TableRow>) : ({ cells, conditions } satisfies FieldsOf<TableRow>)).slice(0, -1)},"object":`,
  ),
  object,
  CLOSE,
];

/** Encodes a meta.k8s.io Table as a whole, for tables of few rows. */
export function tableBytes(
  format: ResponseFormat,
  metadata: object,
  definitions: readonly TableColumnDefinition[] | null,
  rows: readonly TableRow[],
): Uint8Array {
  const head = jsonBytes(tableEnvelope(format, metadata, definitions));
  const parts: Uint8Array[] = [head.subarray(0, -1), Buffer.from(',"rows":[')];
  for (const [index, row] of rows.entries()) {
    if (index > 0) parts.push(COMMA);
    append(parts, rowParts(row));
  }
  parts.push(Buffer.from("]}"));
  return Buffer.concat(parts);
}

const COMMA: Uint8Array = Buffer.from(",");
const CLOSE: Uint8Array = Buffer.from("}");

export function shaper(view: View): Shaper {
  const { resource, format } = view;
  switch (format.shape) {
    case "object":
      return {
        one: (stored) => encodeStored(resource.codec, stored),
        bookmark: (metadata) => encodeEmpty(resource.codec, metadata),
      };
    case "PartialObjectMetadata":
      return {
        one: (stored) => storedMetadata(view, stored),
        bookmark: (metadata) => partialMetadata({ metadata: { ...metadata } } satisfies FieldsOf<ApiObject>, format),
      };
    case "Table":
      return tableShaper(view);
  }
}

function tableShaper(view: View): Shaper {
  const { resource, format, include } = view;
  const columns = columnsOf(resource);
  const { among } = columns;
  // The row of one object is seen among all others.
  const columnsNow = (): TableColumns => {
    const all = among === undefined ? undefined : resource.all();
    return all === undefined ? columns : (among?.(all) ?? columns);
  };
  const table = (resourceVersion: string, row: TableRow, first: boolean) =>
    tableBytes(format, { resourceVersion } satisfies FieldsOf<ListMeta>, first ? columns.definitions : null, [row]);
  return {
    one: (stored, first = true) => table(String(stored.revision), tableRow(view, stored, columnsNow()), first),
    bookmark(metadata, first) {
      const object = { metadata: { ...metadata } } satisfies FieldsOf<ApiObject>;
      const cells = columns.cells(object, resource.now());
      // What ends the initial events is told by its annotation, so it is never left out.
      if (include === "None" && metadata.annotations === undefined) {
        return table(metadata.resourceVersion, { cells, object: NULL }, first);
      }
      const bytes = include === "Object" ? encodeEmpty(resource.codec, metadata) : partialMetadata(object, format);
      return table(metadata.resourceVersion, { cells, object: bytes }, first);
    },
  };
}
