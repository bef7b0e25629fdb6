import { schemaFor } from "../../../api/facts/index.js";
import { encodeObject } from "../../../machinery/codec/encode.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { TableCell, TableColumnDefinition } from "../../registry/table-columns.js";
import type { StoredObject } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import type { ServedResource } from "../served-resource.js";
import { jsonBytes, jsonText } from "./json-text.js";

/** What rides inside a table row. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** How one request wants objects to look: the plain kind, metadata only, or rows of a table. */
export interface Shaper {
  /** One object, kind and apiVersion included, without a newline. For a table: a table of one row. */
  one(stored: StoredObject, firstOfStream?: boolean): Uint8Array;
}

/** PartialObjectMetadata of an object, fields in Go's order; without a newline. */
export function partialMetadata(object: KubeObject, format: ResponseFormat): Uint8Array {
  const schema = schemaFor({ group: "meta.k8s.io", version: "v1", kind: "PartialObjectMetadata" });
  if (schema === undefined) throw new Error("no schema for PartialObjectMetadata");
  const { metadata = {} } = object;
  const apiVersion = `meta.k8s.io/${format.metaVersion}`;
  return encodeObject({ kind: "PartialObjectMetadata", apiVersion, metadata }, schema);
}

export interface TableRow {
  readonly cells: readonly TableCell[];
  /** JSON of what rides along. */
  readonly object: Uint8Array;
}

const NULL: Uint8Array = Buffer.from("null");

export function tableRow(
  resource: ServedResource,
  stored: StoredObject,
  format: ResponseFormat,
  include: IncludeObject,
): TableRow {
  const hub = stored.object();
  const cells = resource.strategy.columns.cells(hub, resource.now());
  if (include === "None") return { cells, object: NULL };
  if (include === "Object") return { cells, object: resource.codec.encodeStored(stored) };
  return { cells, object: partialMetadata(hub, format) };
}

/** meta.k8s.io Table. `definitions` null is how events of a watch after the first leave them out. */
export function tableBytes(
  format: ResponseFormat,
  metadata: object,
  definitions: readonly TableColumnDefinition[] | null,
  rows: readonly TableRow[],
): Uint8Array {
  const columns =
    definitions?.map(({ name, type, format: columnFormat, description, priority }) => ({
      name,
      type,
      format: columnFormat,
      description,
      priority,
    })) ?? null;
  const head = { kind: "Table", apiVersion: `meta.k8s.io/${format.metaVersion}`, metadata, columnDefinitions: columns };
  const parts: Uint8Array[] = [jsonBytes(head).subarray(0, -1), Buffer.from(',"rows":[')];
  for (const [index, { cells, object }] of rows.entries()) {
    parts.push(Buffer.from(`${index === 0 ? "" : ","}{"cells":${jsonText(cells)},"object":`), object, CLOSE);
  }
  parts.push(Buffer.from("]}"));
  return Buffer.concat(parts);
}

const CLOSE: Uint8Array = Buffer.from("}");

export function shaper(resource: ServedResource, format: ResponseFormat, include: IncludeObject): Shaper {
  switch (format.shape) {
    case "object":
      return { one: (stored) => resource.codec.encodeStored(stored) };
    case "PartialObjectMetadata":
      return { one: (stored) => partialMetadata(stored.object(), format) };
    case "Table":
      return {
        one: (stored, first = true) =>
          tableBytes(
            format,
            { resourceVersion: String(stored.revision) },
            first ? resource.strategy.columns.definitions : null,
            [tableRow(resource, stored, format, include)],
          ),
      };
  }
}
