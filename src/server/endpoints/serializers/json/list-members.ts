import type { ListOfObjects, StoredObject } from "../../../storage/store.js";
import { listMetadata, type View } from "../serializer.js";
import type { ListBody } from "./list-body.js";
import { columnsOf, rowParts, storedMetadata, tableEnvelope, tableRow } from "./shapes.js";
import { itemStart, WHOLE } from "./splice.js";
import { encodeStored } from "./stored-json.js";

/** Whether answers are the stored objects themselves, as JSON in one line. */
export const isPlain = ({ format }: View): boolean => format.shape === "object" && !format.pretty;

/** A list's own fields, in Go's order; its members come after them. */
export function listEnvelope({ resource, format }: View, list: ListOfObjects): Readonly<Record<string, unknown>> {
  const metadata = listMetadata(list);
  switch (format.shape) {
    case "object": {
      const { kind, listKind = `${kind}List` } = resource.facts;
      return { kind: listKind, apiVersion: resource.codec.apiVersion, metadata };
    }
    case "PartialObjectMetadata":
      return { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${format.metaVersion}`, metadata };
    case "Table":
      return tableEnvelope(format, metadata, columnsOf(resource).definitions);
  }
}

/** A list in any shape. */
export function listBody(view: View, list: ListOfObjects): ListBody {
  const field = view.format.shape === "Table" ? "rows" : "items";
  return { envelope: listEnvelope(view, list), field, members: membersOf(list.items, memberOf(view)) };
}

function memberOf(view: View): (item: StoredObject) => readonly Uint8Array[] {
  const { resource, format } = view;
  switch (format.shape) {
    case "object":
      return (item) => {
        const bytes = encodeStored(resource.codec, item);
        const start = resource.codec.schema.namesKindInLists === true ? WHOLE : itemStart(bytes);
        return [OPEN, bytes.subarray(start)];
      };
    case "PartialObjectMetadata":
      return (item) => [storedMetadata(view, item)];
    case "Table":
      return (item) => rowParts(tableRow(view, item));
  }
}

function* membersOf(
  items: Iterable<StoredObject>,
  make: (item: StoredObject) => readonly Uint8Array[],
): Generator<readonly Uint8Array[]> {
  for (const item of items) yield make(item);
}

const OPEN = Buffer.from("{");
