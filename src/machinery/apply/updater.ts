import { type Steps, waitFor } from "../../base/async/steps.js";
import { holdsMany } from "../meta/holds-many.js";
import type { JsonObject } from "../meta/json.js";
import { deepEqualSteps } from "../patch/json-values.js";
import { compare, type Comparison, compareSteps } from "./compare.js";
import { conflictsSteps } from "./conflict.js";
import { type FieldFilter, filtered } from "./field-filter.js";
import {
  coversSteps,
  difference,
  EMPTY,
  type FieldSet,
  intersection,
  isEmpty,
  union,
  type FieldSetDraft,
  isMember,
  LEAF,
  member,
} from "./field-set.js";
import type { Manager, Managers } from "./managed-fields.js";
import { mergeSteps } from "./merge.js";
import { reconcileSteps } from "./reconcile.js";
import { removeItemsSteps } from "./remove.js";
import { toFieldSetSteps } from "./to-field-set.js";
import type { TypeDescriptor } from "./type-descriptor.js";
import { Pace } from "../../base/time/pace.js";

/** The versions of one kind. Objects have the form that their JSON decodes to. */
export interface Versions {
  /** Returns the type of a version; undefined for a version that does not exist, or no longer. */
  typeOf(apiVersion: string): TypeDescriptor | undefined;
  /** Converts the object to another version, now or later; undefined when there is no such version. Does not change its argument. */
  convert(object: JsonObject, from: string, to: string): JsonObject | undefined | Promise<JsonObject | undefined>;
  /** Returns the filter of the fields that requests of this version may own; undefined for all fields. */
  resetFields(apiVersion: string): FieldFilter | undefined;
}

interface TypedObject {
  readonly value: JsonObject;
  readonly apiVersion: string;
}

/** Computes the owners of fields after a change, and the result of an applied configuration. */
export class Updater {
  constructor(private readonly versions: Versions) {}

  /**
   * After an update of `live` to `next` in place: `identifier` owns what was added or modified, the others no longer
   * what was modified or removed. `managers` are changed in place. In steps.
   */
  *updateSteps(
    live: JsonObject,
    next: JsonObject,
    apiVersion: string,
    managers: Managers,
    entry: Omit<Manager, "fields">,
    identifier: string,
  ): Steps<void> {
    if (managers.size > 0) yield* this.#reconcileSteps(managers);
    const changes = yield* this.#takeSteps(
      { value: live, apiVersion },
      { value: next, apiVersion },
      managers,
      identifier,
      true,
    );
    yield;
    const owned = managers.get(identifier)?.fields ?? EMPTY;
    const kept = difference(owned, changes.removed);
    yield;
    const changed = union(kept, changes.modified);
    yield;
    const set = union(changed, changes.added);
    yield;
    this.#put(managers, identifier, { ...entry, fields: this.#withoutReset(set, apiVersion) });
  }

  /**
   * Lays `applied` over `live`, removes what `identifier` applied last and does not now, and gives it what it applied.
   * undefined when that is the live object. `managers` are changed in place. Throws ApplyConflicts unless forced. In steps.
   */
  *applySteps(
    live: JsonObject,
    applied: JsonObject,
    apiVersion: string,
    managers: Managers,
    entry: Omit<Manager, "fields">,
    identifier: string,
    force: boolean,
  ): Steps<JsonObject | undefined> {
    yield* this.#reconcileSteps(managers);
    yield;
    const type = this.#type(apiVersion);
    const last = managers.get(identifier);
    const set = this.#withoutReset(yield* toFieldSetSteps(applied, type), apiVersion);
    managers.set(identifier, { ...entry, fields: set });
    yield;
    const value = yield* mergeSteps(live, applied, type);
    yield;
    const whole = { value, apiVersion };
    // What was applied last and is applied again stays: mostly there is nothing to remove.
    const isKept = isOfOneVersion(managers, apiVersion) && (yield* coversSteps(set, last?.fields ?? EMPTY));
    const merged = isKept ? whole : yield* this.#pruneSteps(whole, managers, last);
    yield;
    yield* this.#takeSteps({ value: live, apiVersion }, merged, managers, identifier, force);
    yield;
    return (yield* deepEqualSteps(live, merged.value)) ? undefined : merged.value;
  }

  #type(apiVersion: string): TypeDescriptor {
    const type = this.versions.typeOf(apiVersion);
    if (type === undefined) throw new Error(`no type for version ${apiVersion}`);
    return type;
  }

  #put(managers: Managers, identifier: string, manager: Manager): void {
    if (isEmpty(manager.fields)) managers.delete(identifier);
    else managers.set(identifier, manager);
  }

  #withoutReset(set: FieldSet, apiVersion: string): FieldSet {
    const filter = this.versions.resetFields(apiVersion);
    return filter === undefined ? set : filter(set);
  }

  *#compareSteps(before: TypedObject, after: TypedObject): Steps<Comparison> {
    return this.#tracked(yield* compareSteps(before.value, after.value, this.#type(before.apiVersion)), before);
  }

  #compare(before: TypedObject, after: TypedObject): Comparison {
    return this.#tracked(compare(before.value, after.value, this.#type(before.apiVersion)), before);
  }

  /** Removes the fields that requests of this version reset. */
  #tracked(changes: Comparison, before: TypedObject): Comparison {
    const filter = this.versions.resetFields(before.apiVersion);
    return filter === undefined ? changes : filtered(changes, filter);
  }

  *#convertSteps(object: TypedObject, apiVersion: string): Steps<TypedObject | undefined> {
    if (object.apiVersion === apiVersion) return object;
    if (this.versions.typeOf(apiVersion) === undefined) return undefined;
    const value = yield* waitFor(this.versions.convert(object.value, object.apiVersion, apiVersion));
    return value === undefined ? undefined : { value, apiVersion };
  }

  /** Takes from the other managers what changed; those whose version is gone go too. Answers what changed. */
  *#takeSteps(
    live: TypedObject,
    next: TypedObject,
    managers: Managers,
    identifier: string,
    force: boolean,
  ): Steps<Comparison> {
    const many = holdsMany(live.value) || holdsMany(next.value);
    const changes = many ? yield* this.#compareSteps(live, next) : this.#compare(live, next);
    yield;
    const byVersion = new Map([[live.apiVersion, changes]]);
    const conflicts = new Map<string, FieldSet>();
    const removed = new Map<string, FieldSet>();
    for (const [other, manager] of managers) {
      if (other === identifier) continue;
      yield;
      let seen = byVersion.get(manager.apiVersion);
      if (seen === undefined) {
        const before = yield* this.#convertSteps(live, manager.apiVersion);
        const after = before && (yield* this.#convertSteps(next, manager.apiVersion));
        if (before === undefined || after === undefined) {
          managers.delete(other);
          continue;
        }
        yield;
        seen = many ? yield* this.#compareSteps(before, after) : this.#compare(before, after);
        yield;
        byVersion.set(manager.apiVersion, seen);
      }
      const conflict = union(intersection(manager.fields, seen.modified), intersection(manager.fields, seen.added));
      if (!isEmpty(conflict)) conflicts.set(other, conflict);
      if (!isEmpty(seen.removed)) removed.set(other, seen.removed);
    }
    if (!force && conflicts.size > 0) throw yield* conflictsSteps(conflicts, managers);
    for (const lost of [conflicts, removed]) {
      for (const [other, set] of lost) {
        const manager = managers.get(other);
        if (manager === undefined) continue;
        yield;
        const fields = difference(manager.fields, set);
        if (fields !== manager.fields) managers.set(other, { ...manager, fields });
      }
    }
    for (const [other, { fields }] of managers) if (isEmpty(fields)) managers.delete(other);
    return changes;
  }

  /** Managers of versions that are gone go too. */
  *#reconcileSteps(managers: Managers): Steps<void> {
    for (const [identifier, manager] of managers) {
      yield;
      const type = this.versions.typeOf(manager.apiVersion);
      const fields = type && (yield* reconcileSteps(manager.fields, type));
      if (fields === undefined) managers.delete(identifier);
      else if (fields !== manager.fields) managers.set(identifier, { ...manager, fields });
    }
  }

  /** Removes what was applied last and not now, unless another manager owns it or it was not this applier's. */
  *#pruneSteps(merged: TypedObject, managers: Managers, last: Manager | undefined): Steps<TypedObject> {
    if (last === undefined || isEmpty(last.fields)) return merged;
    const then = yield* this.#convertSteps(merged, last.apiVersion);
    if (then === undefined) return merged;
    const type = this.#type(last.apiVersion);
    const lastFields = yield* namedFieldsSteps(last.fields, type);
    yield;
    let pruned: TypedObject = { ...then, value: yield* removeItemsSteps(then.value, lastFields, type) };
    yield;
    pruned = yield* this.#addBackOwnedSteps(then, pruned, managers);
    yield;
    pruned = yield* this.#addBackDanglingSteps(then, pruned, lastFields);
    return (yield* this.#convertSteps(pruned, merged.apiVersion)) ?? merged;
  }

  *#addBackOwnedSteps(merged: TypedObject, pruned: TypedObject, managers: Managers): Steps<TypedObject> {
    const owned = new Map<string, FieldSet>([[pruned.apiVersion, EMPTY]]);
    for (const { apiVersion, fields } of managers.values()) {
      yield;
      owned.set(apiVersion, union(owned.get(apiVersion) ?? EMPTY, fields));
    }
    let left = pruned;
    let all = merged;
    // The version that was pruned comes first: another may not convert without what is added back there.
    for (const [apiVersion, fields] of owned) {
      if (apiVersion === pruned.apiVersion && isEmpty(fields)) continue;
      yield;
      const whole = yield* this.#convertSteps(all, apiVersion);
      const part = yield* this.#convertSteps(left, apiVersion);
      if (whole === undefined || part === undefined) continue;
      const type = this.#type(apiVersion);
      const kept = union(yield* heldFieldsSteps(part.value, type), yield* namedFieldsSteps(fields, type));
      yield;
      const gone = difference(yield* heldFieldsSteps(whole.value, type), kept);
      yield;
      all = whole;
      left = { apiVersion, value: yield* removeItemsSteps(whole.value, gone, type) };
    }
    return left;
  }

  *#addBackDanglingSteps(merged: TypedObject, pruned: TypedObject, lastFields: FieldSet): Steps<TypedObject> {
    const then = yield* this.#convertSteps(pruned, merged.apiVersion);
    if (then === undefined) return merged;
    const type = this.#type(merged.apiVersion);
    const before = yield* heldFieldsSteps(merged.value, type);
    const after = yield* heldFieldsSteps(then.value, type);
    const gone = intersection(difference(before, after), lastFields);
    yield;
    return { apiVersion: merged.apiVersion, value: yield* removeItemsSteps(merged.value, gone, type) };
  }
}

/** Of several versions the objects are converted, and who owns what may change on the way. */
const isOfOneVersion = (managers: Managers, apiVersion: string): boolean =>
  [...managers.values()].every((manager) => manager.apiVersion === apiVersion);

/** The named field set of an object, in steps. */
function* heldFieldsSteps(value: JsonObject, type: TypeDescriptor): Steps<FieldSet> {
  const set = yield* toFieldSetSteps(value, type);
  yield;
  return yield* namedFieldsSteps(set, type);
}

const NO_TYPE: TypeDescriptor = {};

/** Adds to the set every declared field that leads to one of its paths: `a` if it has `a.b`. Keys of maps are not added. In steps. */
function* namedFieldsSteps(set: FieldSet, type: TypeDescriptor = NO_TYPE, pace = new Pace()): Steps<FieldSet> {
  const draft: FieldSetDraft = {};
  for (const element in set) {
    if (element === ".") continue;
    if (pace.isDue()) yield;
    const node = set[element] as FieldSet;
    const name = element[0] === "f" ? element.slice(2) : undefined;
    const declared = name === undefined ? undefined : type.map?.field(name);
    if (node === LEAF) {
      draft[element] = LEAF;
      continue;
    }
    const below = yield* namedFieldsSteps(node, childType(element, type, declared), pace);
    draft[element] = declared !== undefined || isMember(node) ? member(below) : below;
  }
  return draft;
}

function childType(element: string, type: TypeDescriptor, declared: TypeDescriptor | undefined): TypeDescriptor {
  if (element[0] === "f") return declared ?? type.map?.values ?? NO_TYPE;
  return (element[0] === "k" ? type.list?.items : undefined) ?? NO_TYPE;
}
