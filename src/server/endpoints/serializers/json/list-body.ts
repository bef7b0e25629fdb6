import type { FieldsOf } from "../../../../machinery/meta/received.js";
import type { ApiObject } from "../../../../machinery/meta/object.js";
import type { Steps } from "../../../../base/async/steps.js";
import { decodeJson } from "../../../../machinery/wire/json/json-decoder.js";
import { encodeJson } from "../../../../machinery/wire/json/json-encoder.js";
import { jsonBytes, NEWLINE } from "./json-text.js";
import type { TableColumns } from "../../../registry/table-columns.js";
import type { ListOfObjects, StoredObject } from "../../../storage/store.js";
import { listMetadata, unstructuredListMetadata, type View } from "../serializer.js";
import { columnsOf, rowParts, storedMetadata, tableEnvelope, tableRow } from "./shapes.js";
import { itemStart, WHOLE } from "./splice.js";
import { encodeStored } from "./stored-json.js";

/** The JSON of a list around its items: the fields before them, and those after them, if any. */
export interface ListEnvelope {
  readonly before: Readonly<Record<string, unknown>>;
  readonly after?: Readonly<Record<string, unknown>>;
}

/** Returns the JSON of a list after its last member. */
export const listEnd = ({ after }: ListEnvelope): string =>
  after === undefined ? "]}" : `],${encodeJson(after).slice(1)}`;

/** The body of a list, whose items are encoded one by one while it is written, so that a long list is never in memory as a whole. */
export interface ListBody {
  readonly envelope: ListEnvelope;
  readonly field: "items" | "rows";
  /** The JSON of each member, in parts. It can be iterated once. */
  readonly members: Iterable<readonly Uint8Array[]>;
}

const COMMA = Buffer.from(",");

/** Yields the list in one line. Each item is encoded when the iteration reaches it, here and in the other two forms. */
export function* jsonParts({ envelope, field, members }: ListBody): Generator<Uint8Array> {
  yield jsonBytes(envelope.before).subarray(0, -1);
  yield Buffer.from(`,"${field}":[`);
  let first = true;
  for (const member of members) {
    if (!first) yield COMMA;
    first = false;
    yield* member;
  }
  yield Buffer.from(listEnd(envelope));
  yield NEWLINE;
}

/** Yields the list indented, for people. */
export function* indentedParts({ envelope, field, members }: ListBody): Generator<Uint8Array> {
  const [before, after] = around(encodeJson(emptyList(envelope, field), { indent: 2 }), "[]");
  yield Buffer.from(`${before}[`);
  let count = 0;
  for (const member of members) {
    const text = encodeJson(valueOf(member), { indent: 2 }).replaceAll("\n", "\n    ");
    yield Buffer.from(`${count++ === 0 ? "" : ","}\n    ${text}`);
  }
  yield Buffer.from(`${count === 0 ? "" : "\n  "}]${after}`);
}

/** Yields the list as YAML by `emit`. A member is emitted as in a list of one, because items are not indented below their key. */
export function* yamlParts(
  { envelope, field, members }: ListBody,
  emit: (value: unknown) => Steps<string>,
): Generator<Uint8Array> {
  const [before, after] = around(`\n${yield* inParts(emit(emptyList(envelope, field)))}`, `\n${field}: []\n`);
  yield Buffer.from(`${before.slice(1)}${before === "" ? "" : "\n"}${field}:`);
  let count = 0;
  for (const member of members) {
    const text = yield* inParts(emit([valueOf(member)]));
    yield Buffer.from(`${count++ === 0 ? "\n" : ""}${text}`);
  }
  yield Buffer.from(`${count === 0 ? " []\n" : ""}${after}`);
}

/** Work whose pauses are parts with nothing in them: between parts others have their turn. */
function* inParts<T>(steps: Steps<T>): Generator<Uint8Array, T> {
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    yield NOTHING;
  }
}

const NOTHING = new Uint8Array();

const emptyList = ({ before, after }: ListEnvelope, field: string): Readonly<Record<string, unknown>> => ({
  ...before,
  [field]: [],
  ...after,
});

/** What stands before and after the last occurrence of `text`. */
function around(whole: string, text: string): [string, string] {
  const at = whole.lastIndexOf(text);
  return [whole.slice(0, at), whole.slice(at + text.length)];
}

const valueOf = (member: readonly Uint8Array[]): unknown => decodeJson(Buffer.concat(member)).value;

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
        return {
          before: { apiVersion } satisfies FieldsOf<ApiObject>,
          after: { kind: listKind, metadata: unstructuredListMetadata(list) } satisfies FieldsOf<ApiObject>,
        };
      }
      return { before: { kind: listKind, apiVersion, metadata } satisfies FieldsOf<ApiObject> };
    }
    case "PartialObjectMetadata":
      return {
        before: {
          kind: "PartialObjectMetadataList",
          apiVersion: `meta.k8s.io/${format.metaVersion}`,
          metadata,
        } satisfies FieldsOf<ApiObject>,
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
  const columns = columnsOf(view.resource);
  if (columns.among === undefined) {
    return { envelope, field: "rows", members: membersOf(inRowOrder(view, list.items), rowOf(view, columns)) };
  }
  // Rows that depend on one another are few.
  const items = [...list.items];
  const row = rowOf(view, columns.among(items.map((item) => item.object())));
  return { envelope, field: "rows", members: membersOf(inRowOrder(view, items), row) };
}

const rowOf =
  (view: View, columns: TableColumns) =>
  (item: StoredObject): readonly Uint8Array[] =>
    rowParts(tableRow(view, item, columns));

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
      return rowOf(view, columnsOf(resource));
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
