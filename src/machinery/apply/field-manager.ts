import { atOnce, type Steps } from "../../base/async/steps.js";
import { badRequest, misfit } from "../errors/status-error.js";
import { formatGroupVersion, type GroupVersionKind } from "../meta/gvk.js";
import { isJsonObject, type JsonObject } from "../meta/json.js";
import { deepEqual, getOwn } from "../patch/json-values.js";
import { TypeMismatch } from "./apply-error.js";
import { ApplyConflicts } from "./conflict.js";
import { difference, fieldSet, isEmpty, LEAF, union } from "./field-set.js";
import { lastAppliedFields, lastAppliedOf, withLastApplied } from "./last-applied.js";
import {
  decodeManagers,
  encodeManagersSteps,
  identifierOf,
  isReset,
  type Manager,
  type Managers,
  type ManagedFieldsOperation,
  secondsOf,
  withFields,
} from "./managed-fields.js";
import { fieldElement } from "./path-element.js";
import { Updater, type Versions } from "./updater.js";
import { validateSteps } from "./validate.js";

export interface FieldManagerConfig {
  /** The kind and version of the request. */
  readonly kind: GroupVersionKind;
  /** "" for the object itself. */
  readonly subresource: string;
  readonly versions: Versions;
  /** A new object of the kind as its JSON is decoded, with the zero structs that Go writes. */
  readonly empty: JsonObject;
  /** Returns the time as RFC 3339, in UTC with whole seconds. */
  readonly now: () => string;
}

/** Updates beyond this many are put together, oldest first. */
const MAX_UPDATE_MANAGERS = 10;
const OLD_UPDATES = "ancient-changes";
const BEFORE_FIRST_APPLY = "before-first-apply";
/** The only manager whose client-side apply is taken over. */
const KUBECTL = "kubectl";

/** No manager owns these. */
const UNOWNED = [
  "name",
  "namespace",
  "creationTimestamp",
  "selfLink",
  "uid",
  "clusterName",
  "generation",
  "managedFields",
  "resourceVersion",
].reduce(
  (set, name) => union(set, fieldSet([fieldElement("metadata"), fieldElement(name)])),
  union(fieldSet([fieldElement("apiVersion")], [fieldElement("kind")]), { [fieldElement("metadata")]: LEAF }),
);

interface Entry {
  readonly given: string;
  readonly entry: Omit<Manager, "fields">;
  readonly identifier: string;
}

/**
 * Updates metadata.managedFields for requests of one kind, version and subresource, and applies configurations. Objects are of that version,
 * in the form that their JSON decodes to, and are never changed in place.
 */
export class FieldManager {
  readonly #updater: Updater;
  /** The entry of the last update: one client mostly makes the same change again. */
  #lastEntry: Entry | undefined;
  readonly #apiVersion: string;

  constructor(private readonly config: FieldManagerConfig) {
    this.#updater = new Updater(config.versions);
    this.#apiVersion = formatGroupVersion(config.kind);
  }

  /**
   * Returns the managedFields for an object that is created (`live` is undefined) or changed to `next`; undefined for none. `given` are the
   * managedFields of the request. They count if they are valid: a client may edit them, and an empty list resets them.
   */
  update(
    live: JsonObject | undefined,
    next: JsonObject,
    manager: string,
    given: unknown = managedFieldsOf(next),
  ): JsonObject[] | undefined {
    return atOnce(this.updateSteps(live, next, manager, given));
  }

  /** {@link update} in steps. */
  *updateSteps(
    live: JsonObject | undefined,
    next: JsonObject,
    manager: string,
    given: unknown = managedFieldsOf(next),
  ): Steps<JsonObject[] | undefined> {
    const managers = this.#managersOf(live, given);
    // No client has applied the object yet: tracking starts with the first apply.
    if (managers.size === 0 && live !== undefined && textAt(live, "uid") !== "") return undefined;
    try {
      yield* this.#trackSteps(bare(live ?? this.config.empty), bare(next), managers, manager);
      yield;
      return yield* encodeManagersSteps(managers);
    } catch (error) {
      // Rather no managers than wrong ones; the object itself is validation's business.
      if (error instanceof TypeMismatch || isTooDeep(error)) return undefined;
      throw error;
    }
  }

  /**
   * Applies the configuration `applied` to `live` (undefined for a new object), managedFields included. Throws a StatusError: 409 with every
   * conflict unless forced, 400 for a configuration that does not fit the kind.
   */
  apply(live: JsonObject | undefined, applied: JsonObject, manager: string, force: boolean): JsonObject {
    return atOnce(this.applySteps(live, applied, manager, force));
  }

  /** {@link apply} in steps. */
  *applySteps(live: JsonObject | undefined, applied: JsonObject, manager: string, force: boolean): Steps<JsonObject> {
    try {
      yield* this.#checkAppliedSteps(applied);
      yield;
      return yield* this.#applySteps(live ?? this.config.empty, applied, manager, force);
    } catch (error) {
      const isMismatch = error instanceof TypeMismatch;
      if ((isMismatch || error instanceof ApplyConflicts) && live !== undefined)
        yield* this.#checkFitSteps("live", bare(live), true);
      if (error instanceof ApplyConflicts) throw error.toStatusError();
      throw isTooDeep(error) ? badRequest("exceeded max depth") : error;
    }
  }

  *#applySteps(live: JsonObject, applied: JsonObject, manager: string, force: boolean): Steps<JsonObject> {
    const attempt = (forced: boolean) => this.#attemptSteps(live, applied, manager, forced);
    let result: JsonObject;
    try {
      result = yield* attempt(force);
    } catch (error) {
      if (!(error instanceof ApplyConflicts) || manager !== KUBECTL) throw error;
      // What client-side apply owned is kubectl's to take over.
      const type = this.config.versions.typeOf(this.#apiVersion);
      const allowed = type && lastAppliedFields(bare(live), this.#apiVersion, type);
      if (allowed === undefined) throw error;
      const rest = error.without(allowed);
      if (rest !== undefined) throw rest;
      result = yield* attempt(true);
    }
    return manager === KUBECTL && lastAppliedOf(result) !== "" ? withLastApplied(result, applied) : result;
  }

  *#attemptSteps(live: JsonObject, applied: JsonObject, manager: string, force: boolean): Steps<JsonObject> {
    const managers = decodeManagers(managedFieldsOf(live), "stored");
    const object = bare(live);
    if (managers.size === 0) {
      yield* this.#trackSteps(bare(this.config.empty), object, managers, BEFORE_FIRST_APPLY);
    }
    const { entry, identifier } = this.#entry(manager, "Apply");
    const time = managers.get(identifier)?.time;
    const next = yield* this.#updater.applySteps(
      object,
      applied,
      this.#apiVersion,
      managers,
      { ...entry, time },
      identifier,
      force,
    );
    yield;
    this.#strip(managers, identifier);
    const own = managers.get(identifier);
    if (next !== undefined && own !== undefined) managers.set(identifier, { ...own, time: this.config.now() });
    yield;
    return withManagedFields(next ?? object, yield* encodeManagersSteps(managers));
  }

  *#checkAppliedSteps(applied: JsonObject): Steps<void> {
    const { kind } = this.config.kind;
    const apiVersion = textOf(applied, "apiVersion");
    const givenKind = textOf(applied, "kind");
    if (apiVersion !== this.#apiVersion || givenKind !== kind) {
      throw badRequest(`invalid object type: ${kindText(apiVersion, givenKind)}`);
    }
    const managedFields = managedFieldsOf(applied);
    if (Array.isArray(managedFields)) throw badRequest("metadata.managedFields must be nil");
    yield* this.#checkFitSteps("patch", applied, false);
  }

  /** Throws a StatusError for an object in which fields cannot be told apart, or that its kind does not have. */
  *#checkFitSteps(role: "patch" | "live", object: JsonObject, allowDuplicates: boolean): Steps<void> {
    const { group, version, kind } = this.config.kind;
    const type = this.config.versions.typeOf(this.#apiVersion);
    if (type === undefined) throw new Error(`no type for ${group}/${version} ${kind}`);
    try {
      yield* validateSteps(object, type, { allowDuplicates });
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      const subject = `${textAt(object, "namespace")}/${textAt(object, "name")}; ${kindText(this.#apiVersion, kind)}`;
      throw misfit(`failed to create typed ${role} object (${subject}): ${error.message}`);
    }
  }

  /** Returns the managers to start from: those of the request if they are valid, else those of the live object. */
  #managersOf(live: JsonObject | undefined, given: unknown): Managers {
    const stored = () => decodeStored(live);
    if (this.config.subresource !== "") return stored();
    const before = live && managedFieldsOf(live);
    if (given === undefined || given === null) return stored();
    if (before !== undefined && deepEqual(given, before)) return stored();
    if (isReset(given)) return new Map();
    try {
      const managers = decodeManagers(given, "request");
      return managers.size === 0 ? stored() : managers;
    } catch {
      return stored();
    }
  }

  #entry(name: string, operation: ManagedFieldsOperation): Entry {
    const last = this.#lastEntry;
    if (last?.given === name && last.entry.operation === operation) return last;
    const entry = {
      name: name === "" ? "unknown" : name,
      operation,
      apiVersion: this.#apiVersion,
      subresource: this.config.subresource,
    };
    this.#lastEntry = { given: name, entry, identifier: identifierOf(entry) };
    return this.#lastEntry;
  }

  /** Gives `manager` what changed, with the time of now; nothing changes where nothing did. */
  *#trackSteps(live: JsonObject, next: JsonObject, managers: Managers, manager: string): Steps<void> {
    const { entry, identifier } = this.#entry(manager, "Update");
    yield* this.#updater.updateSteps(live, next, this.#apiVersion, managers, entry, CURRENT);
    yield;
    this.#strip(managers, CURRENT);
    const own = managers.get(CURRENT);
    if (own !== undefined) {
      managers.delete(CURRENT);
      const previous = managers.get(identifier);
      const fields = previous === undefined ? own.fields : union(own.fields, previous.fields);
      managers.set(identifier, withFields(own, fields, this.config.now()));
    }
    capUpdates(managers);
  }

  #strip(managers: Managers, identifier: string): void {
    const manager = managers.get(identifier);
    if (manager === undefined) return;
    const fields = difference(manager.fields, UNOWNED);
    if (isEmpty(fields)) managers.delete(identifier);
    else if (fields !== manager.fields) managers.set(identifier, withFields(manager, fields));
  }
}

/** Free-form values may nest deeper than the stack is. */
const isTooDeep = (error: unknown): boolean => error instanceof RangeError;

/** Stands for the change under way: what its manager owned before is told apart from what it takes now. */
const CURRENT = "current-operation";

/** Puts the oldest updates of a version together until there are few enough. */
function capUpdates(managers: Managers): void {
  const updates = [...managers].filter(([, { operation }]) => operation === "Update");
  if (updates.length <= MAX_UPDATE_MANAGERS) return;
  updates.sort(([a, { time: left }], [b, { time: right }]) => secondsOf(left) - secondsOf(right) || (a < b ? -1 : 1));
  const firstOf = new Map<string, string>();
  let count = updates.length;
  for (const [identifier, manager] of updates) {
    if (count <= MAX_UPDATE_MANAGERS) return;
    const { apiVersion } = manager;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, identifier);
      continue;
    }
    const bucket = { name: OLD_UPDATES, operation: "Update", apiVersion, subresource: "" } as const;
    const bucketIdentifier = identifierOf(bucket);
    const known = managers.get(bucketIdentifier) ?? managers.get(first);
    if (!managers.has(bucketIdentifier)) managers.delete(first);
    const fields = known === undefined ? manager.fields : union(manager.fields, known.fields);
    managers.delete(identifier);
    managers.set(bucketIdentifier, { ...bucket, fields, time: manager.time });
    count--;
  }
}

function decodeStored(live: JsonObject | undefined): Managers {
  try {
    return decodeManagers(live && managedFieldsOf(live), "stored");
  } catch {
    return new Map();
  }
}

const managedFieldsOf = (object: JsonObject) => {
  const metadata = getOwn(object, "metadata");
  return isJsonObject(metadata) ? getOwn(metadata, "managedFields") : undefined;
};

/** The object without its managedFields. */
function bare(object: JsonObject): JsonObject {
  const metadata = getOwn(object, "metadata");
  if (!isJsonObject(metadata) || !Object.hasOwn(metadata, "managedFields")) return object;
  const { managedFields: _, ...rest } = metadata;
  return { ...object, metadata: rest };
}

function withManagedFields(object: JsonObject, managedFields: JsonObject[] | undefined): JsonObject {
  if (managedFields === undefined) return object;
  const metadata = getOwn(object, "metadata");
  return { ...object, metadata: { ...(isJsonObject(metadata) ? metadata : {}), managedFields } };
}

function textOf(object: JsonObject, field: string): string {
  const value = getOwn(object, field);
  return typeof value === "string" ? value : "";
}

function textAt(object: JsonObject, field: string): string {
  const metadata = getOwn(object, "metadata");
  return isJsonObject(metadata) ? textOf(metadata, field) : "";
}

/** As Go prints a GroupVersionKind: "apps/v1, Kind=Deployment", with a leading slash in the core group. */
const kindText = (apiVersion: string, kind: string): string =>
  `${apiVersion.includes("/") ? "" : "/"}${apiVersion}, Kind=${kind}`;
