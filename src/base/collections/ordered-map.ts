import { compareKeys } from "./key-order.js";

/** Leaves and branches hold at most this many entries, and are joined with a neighbour below a quarter of it. */
const WIDTH = 32;
const NARROW = WIDTH / 4;

interface Leaf<V> {
  readonly leaf: true;
  readonly keys: readonly string[];
  readonly values: readonly V[];
  readonly size: number;
}

interface Branch<V> {
  readonly leaf: false;
  /** The least key below each child, in order. */
  readonly keys: readonly string[];
  readonly children: readonly Node<V>[];
  readonly size: number;
}

type Node<V> = Leaf<V> | Branch<V>;

/**
 * An immutable map ordered by the bytes of its keys: a B+ tree that copies the path it changes. A reader keeps the map
 * it was given; no caller can change that one. Lookup, change and {@link rank} cost O(log n).
 */
export class OrderedMap<V> {
  private constructor(private readonly root: Node<V> | undefined) {}

  static empty<V>(): OrderedMap<V> {
    return new OrderedMap<V>(undefined);
  }

  get size(): number {
    return this.root?.size ?? 0;
  }

  get(key: string): V | undefined {
    let node = this.root;
    if (node === undefined) return undefined;
    while (!node.leaf) {
      const child: Node<V> | undefined = node.children[childFor(node, key)];
      if (child === undefined) return undefined;
      node = child;
    }
    const index = lowerBound(node.keys, key);
    return node.keys[index] === key ? node.values[index] : undefined;
  }

  set(key: string, value: V): OrderedMap<V> {
    if (this.root === undefined) return new OrderedMap<V>(leaf([key], [value]));
    const nodes = insert(this.root, key, value);
    return new OrderedMap<V>(nodes.length === 1 ? nodes[0] : branch(nodes));
  }

  /** Returns a map without the key; the map itself when it does not have the key. */
  delete(key: string): OrderedMap<V> {
    if (this.root === undefined) return this;
    const node = remove(this.root, key);
    if (node === this.root) return this;
    return new OrderedMap<V>(node === undefined ? undefined : collapse(node));
  }

  /** Returns how many keys sort before `key`. */
  rank(key: string): number {
    let before = 0;
    let node = this.root;
    while (node !== undefined && !node.leaf) {
      const index = childFor(node, key);
      for (let sibling = 0; sibling < index; sibling++) before += node.children[sibling]?.size ?? 0;
      node = node.children[index];
    }
    return node === undefined ? 0 : before + lowerBound(node.keys, key);
  }

  /** Returns the value before which `rank` keys sort; undefined beyond the last. */
  at(rank: number): V | undefined {
    let left = rank;
    let node = this.root;
    while (node !== undefined && !node.leaf) {
      let index = 0;
      for (let size = node.children[0]?.size ?? 0; left >= size && index < node.children.length - 1; index++) {
        left -= size;
        size = node.children[index + 1]?.size ?? 0;
      }
      node = node.children[index];
    }
    return node?.values[left];
  }

  /** Returns the values of the keys >= `from` and < `end`, in order, at most `limit`. */
  values(from: string, end: string, limit: number): V[] {
    const values: V[] = [];
    if (this.root !== undefined && limit > 0) collect(this.root, from, end, limit, values);
    return values;
  }

  /** Visits entries in order from the first key >= `from`, until `visit` returns false. */
  scan(from: string, visit: (key: string, value: V) => boolean): void {
    if (this.root !== undefined) scan(this.root, from, visit);
  }
}

function leaf<V>(keys: readonly string[], values: readonly V[]): Leaf<V> {
  return { leaf: true, keys, values, size: keys.length };
}

function branch<V>(children: readonly Node<V>[]): Branch<V> {
  let size = 0;
  const keys: string[] = [];
  for (const child of children) {
    size += child.size;
    keys.push(child.keys[0] ?? "");
  }
  return { leaf: false, keys, children, size };
}

/** The first index whose key is >= `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareKeys(keys[middle] ?? "", key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function childFor<V>(node: Branch<V>, key: string): number {
  const index = lowerBound(node.keys, key);
  return node.keys[index] === key ? index : Math.max(0, index - 1);
}

function insert<V>(node: Node<V>, key: string, value: V): readonly Node<V>[] {
  if (!node.leaf) {
    const index = childFor(node, key);
    const child = node.children[index];
    return child === undefined ? [node] : split(replace(node.children, index, 1, insert(child, key, value)));
  }
  const index = lowerBound(node.keys, key);
  const present = node.keys[index] === key ? 1 : 0;
  const keys = present === 1 ? node.keys : replace(node.keys, index, 0, [key]);
  const values = replace(node.values, index, present, [value]);
  if (keys.length <= WIDTH) return [leaf(keys, values)];
  const half = splitPoint(keys.length, index);
  return [leaf(keys.slice(0, half), values.slice(0, half)), leaf(keys.slice(half), values.slice(half))];
}

/** Keys often arrive in order; splitting at the end then leaves full nodes behind. */
function splitPoint(length: number, index: number): number {
  return index === length - 1 ? length - 1 : length >>> 1;
}

function split<V>(children: readonly Node<V>[]): readonly Node<V>[] {
  if (children.length <= WIDTH) return [branch(children)];
  const half = children.length >>> 1;
  return [branch(children.slice(0, half)), branch(children.slice(half))];
}

/** Answers the node itself when the key is absent, undefined when nothing is left. */
function remove<V>(node: Node<V>, key: string): Node<V> | undefined {
  if (node.leaf) {
    const index = lowerBound(node.keys, key);
    if (node.keys[index] !== key) return node;
    if (node.size === 1) return undefined;
    return leaf(replace(node.keys, index, 1, []), replace(node.values, index, 1, []));
  }
  const index = childFor(node, key);
  const child = node.children[index];
  if (child === undefined) return node;
  const changed = remove(child, key);
  if (changed === child) return node;
  if (changed === undefined) {
    const rest = replace(node.children, index, 1, []);
    return rest.length === 0 ? undefined : branch(rest);
  }
  if (changed.keys.length >= NARROW) return branch(replace(node.children, index, 1, [changed]));
  return joinWithNeighbour(node, index, changed);
}

function joinWithNeighbour<V>(node: Branch<V>, index: number, changed: Node<V>): Node<V> {
  const left = index > 0 ? index - 1 : index;
  const other = node.children[index > 0 ? index - 1 : index + 1];
  if (other === undefined) return branch([changed]);
  const joined = index > 0 ? join(other, changed) : join(changed, other);
  return branch(replace(node.children, left, 2, joined));
}

function join<V>(a: Node<V>, b: Node<V>): readonly Node<V>[] {
  if (a.keys.length + b.keys.length > WIDTH) return [a, b];
  if (a.leaf && b.leaf) return [leaf([...a.keys, ...b.keys], [...a.values, ...b.values])];
  if (!a.leaf && !b.leaf) return [branch([...a.children, ...b.children])];
  return [a, b];
}

function collapse<V>(node: Node<V>): Node<V> {
  let root = node;
  while (!root.leaf && root.children.length === 1 && root.children[0] !== undefined) root = root.children[0];
  return root;
}

/** Answers false when there is nothing more to collect. Leaves that lie within are taken whole. */
function collect<V>(node: Node<V>, from: string, end: string, limit: number, values: V[]): boolean {
  if (!node.leaf) {
    for (let index = childFor(node, from); index < node.children.length; index++) {
      if (!collect(node.children[index] as Node<V>, from, end, limit, values)) return false;
    }
    return true;
  }
  const { keys } = node;
  const first = compareKeys(keys[0] ?? "", from) >= 0 ? 0 : lowerBound(keys, from);
  const last = compareKeys(keys.at(-1) ?? "", end) < 0 ? keys.length : lowerBound(keys, end);
  const until = Math.min(last, first + limit - values.length);
  for (let index = first; index < until; index++) values.push(node.values[index] as V);
  return last === keys.length && values.length < limit;
}

function scan<V>(node: Node<V>, from: string, visit: (key: string, value: V) => boolean): boolean {
  if (node.leaf) {
    for (let index = lowerBound(node.keys, from); index < node.keys.length; index++) {
      if (!visit(node.keys[index] as string, node.values[index] as V)) return false;
    }
    return true;
  }
  for (let index = childFor(node, from); index < node.children.length; index++) {
    if (!scan(node.children[index] as Node<V>, from, visit)) return false;
  }
  return true;
}

function replace<T>(items: readonly T[], index: number, count: number, inserted: readonly T[]): T[] {
  const copy = items.slice(0, index);
  for (const item of inserted) copy.push(item);
  for (let rest = index + count; rest < items.length; rest++) copy.push(items[rest] as T);
  return copy;
}
