/** Notes about a request for its audit event, by key. The first value of a key stays. */
export class AuditAnnotations {
  #values: Map<string, string> | undefined;

  /** Returns the value that the key has now: the given one, or an earlier one. */
  add(key: string, value: string): string {
    this.#values ??= new Map();
    const held = this.#values.get(key);
    if (held === undefined) this.#values.set(key, value);
    return held ?? value;
  }

  entries(): ReadonlyMap<string, string> {
    return this.#values ?? NONE;
  }
}

const NONE: ReadonlyMap<string, string> = new Map();
