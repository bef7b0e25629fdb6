import { type Summary, uidOf } from "./summary.js";
import { humanDuration } from "../../machinery/text/duration/human-duration.js";
import { escapeForTerminal } from "../../printers/terminal-escape.js";

/** A line of the tree. */
export interface Branch {
  /** The characters before the line's title: "│ └─ ". "" for a root. */
  readonly lead: string;
  readonly object: Summary;
  /** True when the object stands in the tree already: the objects that it owns are shown there. */
  readonly again: boolean;
}

/**
 * Makes the tree around `start`: its owners above it, and the objects that it owns, directly or indirectly, below it. An object
 * with several owners appears below each of them. Where objects own each other, a line refers to the entry above.
 */
export function branchesOf(start: Summary, objects: ReadonlyMap<string, Summary>): readonly Branch[] {
  const shown = related(start, objects);
  const owned = new Map<string, Summary[]>();
  const roots: Summary[] = [];
  for (const object of shown) {
    const owners = ownersOf(object, objects).filter((owner) => shown.has(owner));
    if (owners.length === 0) roots.push(object);
    for (const owner of owners) owned.set(uidOf(owner), [...(owned.get(uidOf(owner)) ?? []), object]);
  }
  const branches: Branch[] = [];
  const seen = new Set<string>();
  const add = (object: Summary, lead: string, indent: string): void => {
    const below = (owned.get(uidOf(object)) ?? []).toSorted((a, b) => (a.title < b.title ? -1 : 1));
    const again = below.length > 0 && seen.has(uidOf(object));
    branches.push({ lead, object, again });
    seen.add(uidOf(object));
    if (again) return;
    below.forEach((child, index) => {
      const last = index === below.length - 1;
      add(child, `${indent}${last ? "└─ " : "├─ "}`, `${indent}${last ? "   " : "│  "}`);
    });
  };
  for (const root of roots.length === 0 ? [start] : roots) add(root, "", "");
  return branches;
}

/** The start, all above it, and all below it, in the order they were found. */
function related(start: Summary, objects: ReadonlyMap<string, Summary>): ReadonlySet<Summary> {
  const byOwner = new Map<string, Summary[]>();
  for (const object of objects.values()) {
    for (const owner of ownersOf(object, objects)) {
      byOwner.set(uidOf(owner), [...(byOwner.get(uidOf(owner)) ?? []), object]);
    }
  }
  const above = reach(start, (object) => ownersOf(object, objects));
  const below = reach(start, (object) => byOwner.get(uidOf(object)) ?? []);
  return new Set([...above, ...below]);
}

function reach(start: Summary, next: (object: Summary) => readonly Summary[]): ReadonlySet<Summary> {
  const found = new Set([start]);
  // A set is walked in the order in which it grows.
  for (const object of found) for (const other of next(object)) found.add(other);
  return found;
}

function ownersOf({ metadata }: Summary, objects: ReadonlyMap<string, Summary>): readonly Summary[] {
  return (metadata.ownerReferences ?? []).flatMap(({ uid }) => objects.get(uid) ?? []);
}

export const TREE_HEADINGS = ["NAME", "READY", "STATUS", "AGE"] as const;

/** Returns the cells of a line of the tree, below {@link TREE_HEADINGS}. `now` is in milliseconds. */
export function treeCells({ lead, object, again }: Branch, now: number): readonly string[] {
  const { title, metadata, ready, status } = object;
  if (again) return [`${lead}${title}`, "", "(above)"].map(escapeForTerminal);
  const { creationTimestamp: created } = metadata;
  const age = object.age || (typeof created === "string" ? humanDuration(now - Date.parse(created)) : "");
  return [`${lead}${title}`, ready || "-", status || "-", age || "-"].map(escapeForTerminal);
}
