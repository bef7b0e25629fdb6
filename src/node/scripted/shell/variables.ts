import type { ContainerMemory } from "../limits/memory-share.js";

/** What a variable takes beside its name and value, and an element of an array, in bytes. */
const VARIABLE_BYTES = 96;
/** V8 copies a part of a text that is shorter; a longer one keeps the whole text in memory. */
const SHORTEST_PART = 13;

/** Copies a text, so that it no longer keeps the longer text alive that it was cut from. */
export const detached = (text: string): string => (text.length < SHORTEST_PART ? text : ` ${text}`.slice(1));

/** An array by its keys: numbers in ascending order, or texts in the order in which they were set. */
export interface ShellArray {
  readonly isAssociative: boolean;
  readonly elements: Map<string, string>;
  /** The greatest number that was a key. */
  last: number;
}

/** The element that an array's name alone stands for. */
const FIRST = "0";

/** The variables of a shell. Assigned values count against the container's memory. */
export class Variables {
  readonly #values = new Map<string, string | ShellArray>();
  /** What was taken for the variables that were assigned here; those of the parent are its own. */
  readonly #taken = new Map<string, number>();

  constructor(
    values: Iterable<readonly [string, string]>,
    private readonly memory: ContainerMemory,
  ) {
    for (const [name, value] of values) this.#values.set(name, value);
    memory.take(this.#values.size * VARIABLE_BYTES);
  }

  /** The variables as a subshell has them: what it changes stays its own. */
  copy(memory: ContainerMemory): Variables {
    const copy = new Variables([], memory);
    let entries = 0;
    for (const [name, value] of this.#values) {
      copy.#values.set(name, typeof value === "string" ? value : { ...value, elements: new Map(value.elements) });
      entries += typeof value === "string" ? 1 : 1 + value.elements.size;
    }
    memory.take(entries * VARIABLE_BYTES);
    return copy;
  }

  /** A variable's value; of an array its first element. */
  get(name: string): string | undefined {
    const value = this.#values.get(name);
    return typeof value === "object" ? value.elements.get(FIRST) : value;
  }

  array(name: string): ShellArray | undefined {
    const value = this.#values.get(name);
    return typeof value === "object" ? value : undefined;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** What a function has to set again when it ends; see {@link restore}. */
  saved(name: string): string | ShellArray | undefined {
    const value = this.#values.get(name);
    return typeof value === "object" ? { ...value, elements: new Map(value.elements) } : value;
  }

  restore(name: string, value: string | ShellArray | undefined): void {
    this.delete(name);
    if (typeof value === "string") this.set(name, value);
    else if (value !== undefined) this.setArray(name, value.isAssociative, value.elements);
  }

  set(name: string, value: string): void {
    if (this.array(name) !== undefined) {
      this.setElement(name, FIRST, value);
      return;
    }
    this.#count(name, VARIABLE_BYTES + name.length + value.length);
    this.#values.set(name, detached(value));
  }

  /** Sets an element; the name becomes an array where it is none. */
  setElement(name: string, key: string, value: string): void {
    const array = this.array(name) ?? this.#asArray(name, false);
    const before = array.elements.get(key);
    const bytes = VARIABLE_BYTES + key.length + value.length;
    const taken = this.#taken.get(name) ?? 0;
    this.#count(name, taken + bytes - (before === undefined ? 0 : VARIABLE_BYTES + key.length + before.length));
    array.elements.set(detached(key), detached(value));
    if (array.isAssociative) return;
    if (before === undefined && Number(key) < array.last) sortKeys(array);
    array.last = Math.max(array.last, Number(key));
  }

  setArray(name: string, isAssociative: boolean, elements: Iterable<readonly [string, string]>): void {
    this.delete(name);
    this.#asArray(name, isAssociative);
    for (const [key, value] of elements) this.setElement(name, key, value);
  }

  delete(name: string): void {
    this.#values.delete(name);
    this.memory.give(this.#taken.get(name) ?? 0);
    this.#taken.delete(name);
  }

  deleteElement(name: string, key: string): void {
    this.array(name)?.elements.delete(key);
  }

  names(): IterableIterator<string> {
    return this.#values.keys();
  }

  #asArray(name: string, isAssociative: boolean): ShellArray {
    const scalar = this.get(name);
    const elements = new Map<string, string>(scalar === undefined ? [] : [[FIRST, scalar]]);
    const array = { isAssociative, elements, last: elements.size - 1 };
    this.#count(name, VARIABLE_BYTES + name.length + (scalar?.length ?? 0));
    this.#values.set(name, array);
    return array;
  }

  #count(name: string, bytes: number): void {
    this.memory.take(bytes - (this.#taken.get(name) ?? 0));
    this.#taken.set(name, bytes);
  }
}

function sortKeys({ elements }: ShellArray): void {
  const sorted = [...elements].sort(([a], [b]) => Number(a) - Number(b));
  elements.clear();
  for (const [key, value] of sorted) elements.set(key, value);
}
