import type { Schema, StructSchema } from "../../../../machinery/schema/schema.js";
import { metaSchema, PARTIAL_OBJECT_METADATA } from "../../meta-kinds.js";
import { isSorted } from "./splice.js";

/**
 * Returns an object with only the metadata of stored bytes. In the stored bytes the metadata's keys are in byte order, in the
 * result in the order of Go's ObjectMeta; `head` is the result's beginning, up to metadata. Values are copied without decoding.
 * Undefined when the stored bytes have another order.
 */
export function reorderedMetadata(bytes: Uint8Array, revision: number, head: string): Uint8Array | undefined {
  if (!isSorted(bytes)) return undefined;
  // One character for each byte: what is beyond ASCII passes through as it is.
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  const metadata = membersOf(text, 0, "metadata").get("metadata");
  if (metadata === undefined || metadata[0] !== "{") return undefined;
  const members = membersOf(metadata, 0).set("resourceVersion", `"${revision}"`);
  return Buffer.from(`${head}"metadata":${inOrder(members, objectMeta())}}`, "latin1");
}

const objectMeta = (): StructSchema =>
  metaSchema(PARTIAL_OBJECT_METADATA).byName.get("metadata")?.schema as StructSchema;

function inOrder(members: ReadonlyMap<string, string>, schema: StructSchema): string {
  const parts: string[] = [];
  for (const { name, schema: held } of schema.fields) {
    const value = members.get(name);
    if (value !== undefined) parts.push(`"${name}":${reordered(value, held)}`);
  }
  return `{${parts.join(",")}}`;
}

/** Lists of structs (owners, managers) are put in order too. */
function reordered(value: string, schema: Schema): string {
  if (schema.type !== "list" || schema.items.type !== "struct" || value[0] !== "[") return value;
  const items: string[] = [];
  for (let at = 1; value[at] === "{"; at++) {
    const end = endOfValue(value, at);
    items.push(inOrder(membersOf(value, at), schema.items));
    at = end;
  }
  return `[${items.join(",")}]`;
}

/** The values of the object that begins at `at`, as they are written, up to that of `last`. JSON without blanks. */
function membersOf(text: string, at: number, last?: string): Map<string, string> {
  const members = new Map<string, string>();
  let index = at + 1;
  while (text[index] === '"') {
    const colon = endOfValue(text, index);
    const end = endOfValue(text, colon + 1);
    const name = text.slice(index + 1, colon - 1);
    members.set(name, text.slice(colon + 1, end));
    if (name === last) break;
    index = end + 1;
  }
  return members;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Behind the value that begins at `at`. */
function endOfValue(text: string, at: number): number {
  let depth = 0;
  for (let index = at; index < text.length; index++) {
    switch (text.charCodeAt(index)) {
      case QUOTE:
        index = endOfString(text, index);
        if (depth === 0) return index + 1;
        break;
      case 0x7b:
      case 0x5b:
        depth++;
        break;
      case 0x7d:
      case 0x5d:
        // Behind a number, a word or a value within another, which ends with its holder.
        if (depth === 0) return index;
        if (--depth === 0) return index + 1;
        break;
      case 0x2c:
        if (depth === 0) return index;
    }
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}
