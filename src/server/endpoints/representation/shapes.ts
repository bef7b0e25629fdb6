import type { KubeObject } from "../../../machinery/meta/object.js";
import type { TableCell, TableColumnDefinition } from "../../registry/table-columns.js";
import type { StoredObject } from "../../storage/store.js";
import type { ResponseFormat } from "../negotiation/response-format.js";
import type { ServedResource } from "../served-resource.js";
import { jsonBytes } from "./json-text.js";

/** What rides inside a table row. */
export type IncludeObject = "None" | "Metadata" | "Object";

/** How one request wants objects to look: the plain kind, metadata only, or rows of a table. */
export interface Shaper {
  /** One object, kind and apiVersion included, without a newline. For a table: a table of one row. */
  one(stored: StoredObject, firstOfStream?: boolean): Uint8Array;
}

/** PartialObjectMetadata of an object. */
export function partialMetadata(object: KubeObject, format: ResponseFormat): object {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${format.metaVersion}`,
    metadata: object.metadata ?? {},
  };
}

export interface TableRow {
  readonly cells: readonly TableCell[];
  readonly object: unknown;
}

export function tableRow(
  resource: ServedResource,
  stored: StoredObject,
  format: ResponseFormat,
  include: IncludeObject,
): TableRow {
  const hub = stored.object();
  const cells = resource.strategy.columns.cells(hub, resource.now());
  if (include === "None") return { cells, object: null };
  if (include === "Object") return { cells, object: resource.codec.fromHub(hub) };
  return { cells, object: partialMetadata(hub, format) };
}

/** meta.k8s.io Table. `definitions` null is how events of a watch after the first leave them out. */
export function tableBytes(
  format: ResponseFormat,
  metadata: object,
  definitions: readonly TableColumnDefinition[] | null,
  rows: readonly TableRow[],
): Uint8Array {
  return jsonBytes({
    kind: "Table",
    apiVersion: `meta.k8s.io/${format.metaVersion}`,
    metadata,
    columnDefinitions: definitions?.map(({ name, type, format: columnFormat, description, priority }) => ({
      name,
      type,
      format: columnFormat,
      description,
      priority,
    })) ?? null,
    rows,
  });
}

export function shaper(resource: ServedResource, format: ResponseFormat, include: IncludeObject): Shaper {
  switch (format.shape) {
    case "object":
      return { one: (stored) => resource.codec.encodeStored(stored) };
    case "PartialObjectMetadata":
      return { one: (stored) => jsonBytes(partialMetadata(stored.object(), format)) };
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
