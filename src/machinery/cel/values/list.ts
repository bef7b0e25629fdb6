import { LIST_OF_DYN } from "../types/type.js";
import { spendSteps } from "./meter.js";
import { CelValue, equalValues, type ErrorValue, type Value } from "./value.js";

/** A list. Its elements need not exist as values before they are read. */
export abstract class ListValue extends CelValue {
  readonly type = LIST_OF_DYN;

  abstract override get size(): number;

  /** The element at an index from 0 to below the size. */
  abstract at(index: number): Value;

  contains(value: Value): boolean {
    for (let index = 0; index < this.size; index++) {
      spendSteps(1);
      if (equalValues(value, this.at(index))) return true;
    }
    return false;
  }

  /** What `==` answers; an error where it cannot be compared with `other`. */
  isEqualTo(other: Value): boolean | ErrorValue {
    return this.equals(other);
  }

  equals(other: Value): boolean {
    if (!(other instanceof ListValue) || other.size !== this.size) return false;
    for (let index = 0; index < this.size; index++) {
      // A value is made of each of the two.
      spendSteps(2);
      if (!equalValues(this.at(index), other.at(index))) return false;
    }
    return true;
  }

  /** The list with the elements of `other` behind its own. Neither is changed. An error where the list cannot have them. */
  concat(other: ListValue): ListValue | ErrorValue {
    if (this.size === 0) return other;
    return other.size === 0 ? this : new ConcatenatedList(this, other);
  }

  /** Spends a step for each element. */
  toArray(): Value[] {
    spendSteps(this.size);
    return Array.from({ length: this.size }, (_, index) => this.at(index));
  }
}

/** A list whose elements are CEL values. */
export class ArrayList extends ListValue {
  readonly elements: readonly Value[];

  constructor(elements: readonly Value[]) {
    super();
    this.elements = elements;
  }

  get size(): number {
    return this.elements.length;
  }

  at(index: number): Value {
    return this.elements[index] as Value;
  }
}

/** A list in a decoded object: an element is converted when it is read. */
export class NativeList extends ListValue {
  readonly native: readonly unknown[];
  readonly #toValue: (native: unknown) => Value;

  constructor(native: readonly unknown[], toValue: (native: unknown) => Value) {
    super();
    this.native = native;
    this.#toValue = toValue;
  }

  get size(): number {
    return this.native.length;
  }

  at(index: number): Value {
    return this.#toValue(this.native[index]);
  }
}

/** Two lists, one behind the other: concatenation costs the same for lists of any size. */
class ConcatenatedList extends ListValue {
  readonly #front: ListValue;
  readonly #back: ListValue;
  readonly size: number;

  constructor(front: ListValue, back: ListValue) {
    super();
    this.#front = front;
    this.#back = back;
    this.size = front.size + back.size;
  }

  at(index: number): Value {
    // Concatenated lists hold each other: finding an element takes as long as they are deep.
    spendSteps(1);
    const { size } = this.#front;
    return index < size ? this.#front.at(index) : this.#back.at(index - size);
  }
}

/** The list that a comprehension (map, filter) builds. It grows in place while the comprehension alone can see it. */
export class GrowingList extends ListValue {
  readonly #elements: Value[] = [];

  get size(): number {
    return this.#elements.length;
  }

  at(index: number): Value {
    return this.#elements[index] as Value;
  }

  /** Adds the elements of `other`, and answers itself. */
  append(other: ListValue): this {
    for (let index = 0; index < other.size; index++) this.#elements.push(other.at(index));
    return this;
  }

  /** The list as it is now, for everything outside of the comprehension. */
  finish(): ListValue {
    return new ArrayList(this.#elements);
  }
}

export const EMPTY_LIST: ListValue = new ArrayList([]);
