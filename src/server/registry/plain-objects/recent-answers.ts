import type { JsonValue } from "../../../machinery/meta/json.js";
import type { CheckedObject } from "./check-answer.js";

/** The bytes of objects that are remembered, approximately. */
const MAX_BYTES = 4 * 2 ** 20;
/** What an entry takes beside its bytes: the object three times, and its encodings. */
const TIMES = 5;

interface RecentAnswer {
  /** A copy of what the source has returned. */
  readonly given: JsonValue;
  readonly checked: CheckedObject;
}

/**
 * Caches the last objects that a source has returned, so that an equal one need not be checked, encoded and hashed again. A
 * comparison takes a small part of that time.
 */
export class RecentAnswers {
  readonly #entries = new Map<string, RecentAnswer>();
  #bytes = 0;

  /** Returns what the same answer came to the last time; undefined for another one. */
  find(key: string, given: unknown): CheckedObject | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && isSame(given, entry.given, 0) ? entry.checked : undefined;
  }

  /** `given` is a copy that nobody else has. */
  keep(given: JsonValue, checked: CheckedObject): void {
    this.#drop(checked.key);
    this.#entries.set(checked.key, { given, checked });
    this.#bytes += checked.bytes.byteLength * TIMES;
    for (const [key] of this.#entries) {
      if (this.#bytes <= MAX_BYTES) return;
      this.#drop(key);
    }
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.checked.bytes.byteLength * TIMES;
  }
}

/** Deeper values are checked anew. */
const MAX_DEPTH = 100;

/** Whether a value that may be anything is the JSON value that was copied; fields that are undefined count as left out. */
function isSame(value: unknown, known: JsonValue | undefined, depth: number): boolean {
  if (typeof value !== "object" || value === null) return value === known;
  if (typeof known !== "object" || known === null || depth > MAX_DEPTH) return false;
  if (Array.isArray(value) || Array.isArray(known)) {
    if (!Array.isArray(value) || !Array.isArray(known) || value.length !== known.length) return false;
    return known.every((item, index) => isSame(value[index], item, depth + 1));
  }
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return false;
  const fields = value as Readonly<Record<string, unknown>>;
  let count = 0;
  for (const key of Object.keys(fields)) {
    const field = fields[key];
    if (field === undefined) continue;
    if (!Object.hasOwn(known, key) || !isSame(field, known[key], depth + 1)) return false;
    count += 1;
  }
  return count === Object.keys(known).length;
}
