import { isJsonObject, type JsonValue } from "../meta/json.js";

/** The size of a value as JSON. */
export interface JsonSize {
  readonly bytes: number;
  /** Of lists and objects within each other; 0 for a scalar. */
  readonly depth: number;
}

interface Open {
  readonly value: object;
  readonly members: Iterator<JsonValue>;
  bytes: number;
  depth: number;
}

/** Measures a value of any depth. A shared part counts once per occurrence, and is visited once. */
export function measureJson(root: JsonValue): JsonSize {
  const known = new Map<object, JsonSize>();
  const open: Open[] = [];
  let size = enter(root, open, known);
  for (;;) {
    const top = open.at(-1);
    if (top === undefined) return size as JsonSize;
    if (size !== undefined) {
      top.bytes += size.bytes;
      top.depth = Math.max(top.depth, size.depth + 1);
    }
    const next = top.members.next();
    if (next.done === true) {
      open.pop();
      size = { bytes: top.bytes, depth: top.depth };
      known.set(top.value, size);
    } else size = enter(next.value, open, known);
  }
}

/** The size, where it is known at once; else the value is opened. */
function enter(value: JsonValue, open: Open[], known: ReadonlyMap<object, JsonSize>): JsonSize | undefined {
  if (value === null || typeof value !== "object") return { bytes: scalarBytes(value), depth: 0 };
  const before = known.get(value);
  if (before !== undefined) return before;
  open.push({ value, members: membersOf(value), bytes: punctuation(value), depth: 1 });
  return undefined;
}

function membersOf(value: object): Iterator<JsonValue> {
  return (Array.isArray(value) ? value : Object.values(value)).values() as Iterator<JsonValue>;
}

/** Brackets, commas, and the keys with their colons. */
function punctuation(value: JsonValue): number {
  if (!isJsonObject(value)) return 2 + Math.max((value as JsonValue[]).length - 1, 0);
  const keys = Object.keys(value);
  return keys.reduce((sum, key) => sum + scalarBytes(key) + 1, 2 + Math.max(keys.length - 1, 0));
}

function scalarBytes(value: string | number | bigint | boolean | null): number {
  return typeof value === "string" ? Buffer.byteLength(JSON.stringify(value)) : String(value).length;
}
