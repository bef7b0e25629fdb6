import { goQuote } from "../../base/text/go-quote.js";
import { Pace } from "../../base/time/pace.js";
import type { Steps } from "../../base/async/steps.js";
import { applyConflict, type StatusError } from "../errors/status-error.js";
import { type FieldSet, has, paths, sortedSteps } from "./field-set.js";
import { type Manager, type Managers } from "./managed-fields.js";
import { type PathElement, pathText } from "./path-element.js";

/** A path that another manager owns and an apply would change. */
export interface Conflict {
  readonly identifier: string;
  readonly manager: Manager;
  readonly path: readonly PathElement[];
  /** The path in the form of error messages. */
  readonly field: string;
}

/** Thrown when an apply without force would change fields of other managers. */
export class ApplyConflicts extends Error {
  override readonly name = "ApplyConflicts";

  constructor(readonly conflicts: readonly Conflict[]) {
    super(messageOf(conflicts));
  }

  /** Returns the 409 Status with a cause for each path. */
  toStatusError(): StatusError {
    const messages = new Map<Manager, string>();
    for (const { manager } of this.conflicts)
      if (!messages.has(manager)) messages.set(manager, `conflict with ${managerText(manager)}`);
    return applyConflict(
      this.message,
      this.conflicts.map(({ manager, field }) => ({
        reason: "FieldManagerConflict",
        message: messages.get(manager) ?? "",
        field,
      })),
    );
  }

  /** Returns the conflicts on paths other than `allowed`; undefined when none is left. */
  without(allowed: FieldSet): ApplyConflicts | undefined {
    const rest = this.conflicts.filter(({ path }) => !has(allowed, path));
    return rest.length === 0 ? undefined : new ApplyConflicts(rest);
  }
}

/** Finds the conflicts with the sets of managers, in the order of the managers' identifiers. In steps. */
export function* conflictsSteps(sets: ReadonlyMap<string, FieldSet>, managers: Managers): Steps<ApplyConflicts> {
  const conflicts: Conflict[] = [];
  const pace = new Pace();
  for (const identifier of [...sets.keys()].sort()) {
    const manager = managers.get(identifier);
    const set = sets.get(identifier);
    if (manager === undefined || set === undefined) continue;
    for (const path of paths(yield* sortedSteps(set))) {
      if (pace.isDue()) yield;
      conflicts.push({ identifier, manager, path, field: pathText(path) });
    }
  }
  return new ApplyConflicts(conflicts);
}

function messageOf(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1 && first !== undefined) {
    return `Apply failed with 1 conflict: conflict with ${managerText(first.manager)}: ${first.field}`;
  }
  const lines: string[] = [];
  let last: string | undefined;
  for (const { identifier, manager, field } of conflicts) {
    if (identifier !== last) lines.push(`conflicts with ${managerText(manager)}:`);
    last = identifier;
    lines.push(`- ${field}`);
  }
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function managerText({ name, subresource, operation, apiVersion }: Manager): string {
  const named = goQuote(name) + (subresource === "" ? "" : ` with subresource ${goQuote(subresource)}`);
  return operation === "Update" ? `${named} using ${apiVersion}` : named;
}
