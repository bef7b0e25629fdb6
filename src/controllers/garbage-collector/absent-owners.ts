import { type ObjectIdentity, referenceText } from "./object-reference.js";

const SIZE = 500;

/** Owners that are known not to exist: the most recently used of them, so that each is asked for once. */
export class AbsentOwners {
  readonly #known = new Set<string>();

  add(owner: ObjectIdentity): void {
    const key = referenceText(owner);
    this.#known.delete(key);
    this.#known.add(key);
    const [oldest] = this.#known;
    if (this.#known.size > SIZE && oldest !== undefined) this.#known.delete(oldest);
  }

  has(owner: ObjectIdentity): boolean {
    const key = referenceText(owner);
    if (!this.#known.delete(key)) return false;
    this.#known.add(key);
    return true;
  }
}
