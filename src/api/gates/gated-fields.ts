import { absent, type Fields, isFields } from "../../machinery/meta/access.js";
import type { ServerGates } from "./feature-gates.js";

/**
 * The paths of fields by the gate that they are behind. "spec.containers[].image" is a field of each item of a list, "attributes{}.strings" one of each value of a
 * map; "a|b.c" is c in a and in b; a field with a question mark goes with the last of its fields.
 */
export type FieldsByGate = Readonly<Record<string, string | readonly string[]>>;

/** Prefixes the paths of guarded fields with `path`, for an object that contains theirs there. */
export const under = (path: string, fields: FieldsByGate): FieldsByGate =>
  Object.fromEntries(
    Object.entries(fields).map(([gate, paths]) => [gate, [paths].flat().map((inner) => `${path}.${inner}`)]),
  );

/** Merges several tables of guarded fields. */
export function together(...lists: readonly FieldsByGate[]): FieldsByGate {
  const all: Record<string, string[]> = {};
  for (const [gate, paths] of lists.flatMap((fields) => Object.entries(fields))) {
    all[gate] = [...(all[gate] ?? []), ...[paths].flat()];
  }
  return all;
}

interface Node {
  /** The gate of the field itself. */
  gate?: string;
  /** What the field holds of the fields below: one struct, a list or a map of them. */
  holds: "struct" | "items" | "values";
  /** Whether it goes with the last of its fields. */
  prunes: boolean;
  readonly fields: Map<string, Node>;
}

/** The fields of an object, those of its status, and the others. */
interface Trees {
  readonly all: Node;
  readonly status: Node;
  readonly others: Node;
}

/** A field that is set although its gate is off. */
interface Found {
  readonly gate: string;
  readonly holder: Fields;
  readonly name: string;
  /** Takes away what holds the field, if nothing is left in it. */
  readonly prune: (() => void) | undefined;
}

/** The fields of an object that feature gates guard. */
export class GatedFields {
  readonly #fields: FieldsByGate;
  readonly #trees = new WeakMap<ServerGates, Trees>();

  constructor(fields: FieldsByGate) {
    this.#fields = fields;
  }

  /** Takes the fields whose gates are off out of a new object. */
  dropOfNew(draft: object, gates: ServerGates): void {
    const found: Found[] = [];
    collect(this.#treesOf(gates).all, draft, undefined, found);
    dropAll(found, new Set());
  }

  /**
   * Takes the fields whose gates are off out of a draft's status, or out of all but its status. They stay if the old object uses their feature: if it
   * has any field of the same gate.
   */
  drop(draft: object, old: object, gates: ServerGates, part: "status" | "others"): void {
    const trees = this.#treesOf(gates);
    const found: Found[] = [];
    collect(trees[part], draft, undefined, found);
    if (found.length === 0) return;
    const kept: Found[] = [];
    collect(trees.all, old, undefined, kept);
    dropAll(found, new Set(kept.map(({ gate }) => gate)));
  }

  /** The fields whose gates are off: made once for each server. */
  #treesOf(gates: ServerGates): Trees {
    let trees = this.#trees.get(gates);
    if (trees === undefined) {
      const all = newNode();
      for (const [gate, paths] of Object.entries(this.#fields)) {
        if (!gates.enabled(gate)) for (const path of [paths].flat()) plant([all], path.split("."), gate);
      }
      const part = (isStatus: boolean): Node => ({
        ...all,
        fields: new Map([...all.fields].filter(([name]) => (name === "status") === isStatus)),
      });
      trees = { all, status: part(true), others: part(false) };
      this.#trees.set(gates, trees);
    }
    return trees;
  }
}

function dropAll(found: readonly Found[], used: ReadonlySet<string>): void {
  for (const { gate, holder, name, prune } of found) {
    if (used.has(gate)) continue;
    delete holder[name];
    prune?.();
  }
}

const newNode = (): Node => ({ holds: "struct", prunes: false, fields: new Map() });

/** Adds the rest of a path below nodes. */
function plant(nodes: readonly Node[], [step, ...rest]: readonly string[], gate: string): void {
  if (step === undefined) {
    for (const node of nodes) node.gate = gate;
    return;
  }
  const [, names = "", mark = ""] = /^([^[{?]+)(.*)$/.exec(step) ?? [];
  const next = nodes.flatMap(({ fields }) =>
    names.split("|").map((name) => {
      const node = fields.get(name) ?? newNode();
      fields.set(name, node);
      if (mark === "[]") node.holds = "items";
      if (mark === "{}") node.holds = "values";
      if (mark === "?") node.prunes = true;
      return node;
    }),
  );
  plant(next, rest, gate);
}

function collect(node: Node, value: unknown, prune: (() => void) | undefined, found: Found[]): void {
  if (!isFields(value)) return;
  for (const [name, next] of node.fields) {
    const held = value[name];
    if (absent(held)) continue;
    if (next.gate !== undefined) {
      found.push({ gate: next.gate, holder: value, name, prune });
      continue;
    }
    const pruned = next.prunes ? (): void => dropEmpty(value, name) : undefined;
    for (const inner of next.holds === "struct" ? [held] : Object.values(held)) {
      collect(next, inner, pruned, found);
    }
  }
}

function dropEmpty(holder: Fields, name: string): void {
  if (Object.values(holder[name] ?? {}).every((value) => absent(value))) delete holder[name];
}
