import type { ListOfObjects, StoredObject } from "../../../storage/store.js";
import { listMetadata, unstructuredListMetadata, type View } from "../serializer.js";
import type { ListBody, ListEnvelope } from "./list-body.js";
import { columnsOf, rowParts, storedMetadata, tableEnvelope, tableRow } from "./shapes.js";
import { itemStart, WHOLE } from "./splice.js";
import { encodeStored } from "./stored-json.js";

/** Returns whether answers are the stored objects themselves, as JSON in one line. */
export const isPlain = ({ format }: View): boolean => format.shape === "object" && !format.pretty;

/** Returns the JSON of a list around its members, fields in Go's order. */
export function listEnvelope({ resource, format }: View, list: ListOfObjects): ListEnvelope {
  const metadata = listMetadata(list);
  switch (format.shape) {
    case "object": {
      const { kind, listKind = `${kind}List` } = resource.facts;
      const { apiVersion, schema } = resource.codec;
      if (schema.isUnstructured === true) {
        return { before: { apiVersion }, after: { kind: listKind, metadata: unstructuredListMetadata(list) } };
      }
      return { before: { kind: listKind, apiVersion, metadata } };
    }
    case "PartialObjectMetadata":
      return {
        before: { kind: "PartialObjectMetadataList", apiVersion: `meta.k8s.io/${format.metaVersion}`, metadata },
      };
    case "Table":
      return { before: tableEnvelope(format, metadata, columnsOf(resource).definitions) };
  }
}

/** Returns the body of a list in the shape of the view. */
export function listBody(view: View, list: ListOfObjects): ListBody {
  const envelope = listEnvelope(view, list);
  if (view.format.shape !== "Table")
    return { envelope, field: "items", members: membersOf(list.items, memberOf(view)) };
  return { envelope, field: "rows", members: membersOf(inRowOrder(view, list.items), memberOf(view)) };
}

function memberOf(view: View): (item: StoredObject) => readonly Uint8Array[] {
  const { resource, format } = view;
  switch (format.shape) {
    case "object":
      return (item) => {
        const bytes = encodeStored(resource.codec, item);
        const start = resource.codec.schema.isUnstructured === true ? WHOLE : itemStart(bytes);
        return [OPEN, bytes.subarray(start)];
      };
    case "PartialObjectMetadata":
      return (item) => [storedMetadata(view, item)];
    case "Table":
      return (item) => rowParts(tableRow(view, item));
  }
}

/** Only a list of few objects has an order of its own. */
function inRowOrder({ resource }: View, items: Iterable<StoredObject>): Iterable<StoredObject> {
  const { order } = columnsOf(resource);
  return order === undefined ? items : [...items].sort((a, b) => order(a.object(), b.object()));
}

function* membersOf(
  items: Iterable<StoredObject>,
  make: (item: StoredObject) => readonly Uint8Array[],
): Generator<readonly Uint8Array[]> {
  for (const item of items) yield make(item);
}

const OPEN = Buffer.from("{");
