import type { ReadonlyFields } from "../../../machinery/meta/access.js";

/** What was found out about schemas before it is asked for, by the schema's identity and a key of what was asked. */
export class JudgedAhead<T> {
  readonly #results = new WeakMap<ReadonlyFields, Map<string, T>>();

  get(schema: ReadonlyFields, key: string): T | undefined {
    return this.#results.get(schema)?.get(key);
  }

  set(schema: ReadonlyFields, key: string, result: T): T {
    let results = this.#results.get(schema);
    if (results === undefined) {
      results = new Map();
      this.#results.set(schema, results);
    }
    results.set(key, result);
    return result;
  }
}
