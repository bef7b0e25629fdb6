import type { Clock } from "../../base/clock.js";
import { goQuote } from "../../base/go-quote.js";
import type { Random } from "../../base/random.js";
import { type FieldError, firstErrors, invalidValue } from "../../machinery/errors/field-error.js";
import {
  badRequest,
  conflict,
  generateNameConflict,
  invalid,
  isAlreadyExists,
  isNotFound,
  isStatusError,
  StatusError,
} from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import { deepCopy, deepEqual } from "../../machinery/patch/json-values.js";
import {
  DELETE,
  DeleteInstead,
  type ListObjectsOptions,
  type ListOfObjects,
  type ObjectStore,
  type ReadOptions,
  type StoredEvent,
  type StoredObject,
  type WatchObjectsOptions,
} from "../storage/store.js";
import type { Authorization } from "../authz/authorizer.js";
import { copyObject } from "./copy.js";
import type { ResolvedStrategy } from "./default-strategy.js";
import { decideDeletion, marked, shouldDeleteDuringUpdate } from "./deletion.js";
import type { DeleteOptions } from "./delete-options.js";
import type { InternalKind, InternalObject } from "./internal-object.js";
import {
  assign,
  clearSystemMetadata,
  fillSystemMetadata,
  matchNamespace,
  metadataOf,
  restoreSystemMetadata,
} from "./metadata.js";
import type {
  AdmitChange,
  AdmitCreate,
  AdmitDelete,
  CollectionDeleter,
  Creater,
  Getter,
  GracefulDeleter,
  Lister,
  Transform,
  UpdateOptions,
  Updater,
  Watcher,
} from "./resource.js";
import type { RequestScope } from "./scope.js";
import type { Allocation, ObjectAccess, StrategyContext, SubresourceStrategy } from "./strategy.js";
import {
  pathSegmentErrors,
  validateMetadata,
  validateMetadataUpdate,
  validateNameSegment,
} from "./validate-metadata.js";

const OPTIMISTIC_LOCK_MESSAGE =
  "the object has been modified; please apply your changes to the latest version and try again";

export interface StoreConfig {
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly hasStatus: boolean;
  readonly strategy: ResolvedStrategy;
  /** The rules of the subresources other than status that write a part of the object, by name. */
  readonly parts: Readonly<Record<string, SubresourceStrategy>>;
  readonly objects: ObjectStore;
  /**
   * Encodes an object as the store does. Two objects with equal bytes are stored alike, whatever fields they leave out in
   * memory.
   */
  readonly encode: (object: KubeObject) => Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  /** Reads and writes other resources, for strategies. */
  readonly access: ObjectAccess;
  readonly authorization: Authorization;
  readonly internal: (kind: InternalKind) => InternalObject;
}

/**
 * The registry of any stored resource: system metadata, the strategy's hooks, validation, finalizers and graceful deletion
 * over an {@link ObjectStore}. A failed request stores nothing. A dry run does everything but the write.
 */
export class Store implements Getter, Lister, Watcher, Creater, Updater, GracefulDeleter, CollectionDeleter {
  constructor(readonly config: StoreConfig) {}

  get strategy(): ResolvedStrategy {
    return this.config.strategy;
  }

  get(scope: RequestScope, name: string, options: ReadOptions): Promise<StoredObject> {
    return this.config.objects.get(this.#key(scope, name), options);
  }

  list(scope: RequestScope, options: ListObjectsOptions): Promise<ListOfObjects> {
    const { name = "", ...rest } = options;
    const prefix = this.#prefix(scope);
    // A field selector on metadata.name reads one key when the namespace is known or the resource has none. Otherwise it
    // filters the list.
    const single = (prefix !== "" || !this.config.namespaced) && pathSegmentErrors(name).length === 0;
    return this.config.objects.list(prefix, single && name !== "" ? options : rest);
  }

  watch(scope: RequestScope, options: WatchObjectsOptions): Promise<AsyncIterable<readonly StoredEvent[]>> {
    return this.config.objects.watch(this.#prefix(scope), options);
  }

  async create(scope: RequestScope, draft: KubeObject, admit: AdmitCreate): Promise<StoredObject> {
    const context = this.#context(scope);
    let allocation: Allocation | undefined;
    try {
      allocation = await this.#prepareNew(scope, draft, context, admit, "");
    } catch (error) {
      admit.settled?.();
      throw error;
    }
    let stored: StoredObject;
    try {
      await scope.pause?.();
      const options = { ...this.#ttl(), dryRun: scope.dryRun, inSlices: scope.pause !== undefined };
      stored = await this.config.objects.create(this.#key(scope, draft.metadata?.name ?? ""), draft, options);
    } catch (error) {
      // The store rejects an object that has a resourceVersion before it writes anything.
      if (isRefusal(error) || draft.metadata?.resourceVersion) {
        await allocation?.revert();
        admit.settled?.();
      }
      if (isAlreadyExists(error) && (draft.metadata?.generateName ?? "") !== "") {
        throw generateNameConflict(this.config, draft.metadata?.name ?? "", 1);
      }
      if (isAlreadyExists(error)) throw await this.#existing(error, scope, draft.metadata?.name ?? "");
      throw error;
    }
    admit.settled?.();
    await allocation?.commit();
    if (!scope.dryRun) await this.strategy.afterCreate?.(draft).catch(() => {});
    return stored;
  }

  async update(
    scope: RequestScope,
    name: string,
    transform: Transform,
    options: UpdateOptions,
  ): Promise<{ object: StoredObject; created: boolean }> {
    const { objects, strategy } = this.config;
    let allocation: Allocation | undefined;
    try {
      const result = await objects.guaranteedUpdate(
        this.#key(scope, name),
        async (current) => {
          await allocation?.revert();
          allocation = undefined;
          const context = this.#context(scope);
          const draft = await transform(current);
          if (current === undefined) {
            allocation = await this.#prepareNew(scope, draft, context, options.admit.create, name);
            this.#checkNewName(name, draft);
            await scope.pause?.();
            return draft;
          }
          const old = current.object();
          matchNamespace(draft, this.#namespace(scope));
          if (options.admit.update.mutate !== undefined) {
            await options.admit.update.mutate(draft, old);
            matchNamespace(draft, this.#namespace(scope));
          }
          if (strategy.authorize !== undefined && options.trusted !== true && options.subresource === undefined) {
            await strategy.authorize(draft, old, context, name);
          }
          this.#checkVersion(name, draft, old);
          await scope.pause?.();
          if (options.trusted === true) await this.#admitTrusted(draft, old, options.admit.update);
          else allocation = await this.#prepareChange(scope, draft, old, context, options);
          await scope.pause?.();
          const held = strategy.holdsDeletion?.(draft) === true;
          return !held && shouldDeleteDuringUpdate(draft, old) ? new DeleteInstead(draft) : draft;
        },
        {
          ...this.#ttl(),
          preconditions: options.preconditions,
          ignoreNotFound:
            options.createMissing === true || (strategy.allowCreateOnUpdate && options.subresource === undefined),
          dryRun: scope.dryRun,
          inSlices: scope.pause !== undefined,
        },
      );
      options.admit.settled?.();
      if (result.deleted) {
        await allocation?.revert();
        await this.#removed(scope, result.last ?? result.object);
      } else await allocation?.commit();
      return result;
    } catch (error) {
      if (isRefusal(error)) {
        await allocation?.revert();
        options.admit.settled?.();
      }
      throw error;
    }
  }

  async delete(
    scope: RequestScope,
    name: string,
    options: DeleteOptions,
    admit: AdmitDelete,
  ): Promise<{ object: StoredObject; gone: boolean }> {
    const key = this.#key(scope, name);
    const { objects, strategy } = this.config;
    let pending: StoredObject | undefined;
    let remove = false;
    for (const warning of strategy.warningsOnDelete?.(options) ?? []) scope.warnings.add(warning);
    const result = await objects.guaranteedUpdate(
      key,
      async (current) => {
        pending = undefined;
        remove = false;
        if (current === undefined) throw new Error(`no current object at ${key}`);
        const object = current.object();
        this.#checkPreconditions(name, object, options);
        await admit?.(object);
        const decision = decideDeletion(object, options, strategy, this.config.clock.now());
        switch (decision.kind) {
          case "now":
            return DELETE;
          case "pending":
            pending = current;
            return object;
          case "mark": {
            remove = decision.thenRemove;
            const draft = marked(copyObject(object), decision);
            strategy.markDeleting?.(draft);
            return draft;
          }
        }
      },
      { dryRun: scope.dryRun },
    );
    if (result.deleted) await this.#removed(scope, result.object);
    else if (remove) return { object: await this.#removeMarked(scope, key, result.object), gone: true };
    return { object: pending ?? result.object, gone: result.deleted };
  }

  /** Removes a marked object that no finalizer keeps. Another request may have removed it already. */
  async #removeMarked(scope: RequestScope, key: string, object: StoredObject): Promise<StoredObject> {
    if (scope.dryRun) return object;
    const uid = object.object().metadata?.uid;
    try {
      const removed = await this.config.objects.delete(key, { ...(uid !== undefined && { preconditions: { uid } }) });
      await this.#removed(scope, removed);
      return removed;
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return object;
    }
  }

  async deleteCollection(
    scope: RequestScope,
    list: ListObjectsOptions,
    options: DeleteOptions,
    admit: AdmitDelete,
  ): Promise<ListOfObjects> {
    const found = await this.list(scope, list);
    for (const item of found.items) {
      const { name = "", namespace = "" } = item.object().metadata ?? {};
      try {
        await this.delete({ ...scope, namespace }, name, options, admit);
      } catch (error) {
        // Another request deleted the object first.
        if (!isNotFound(error)) throw error;
      }
    }
    return found;
  }

  /** Adds to an AlreadyExists error that the existing object is being deleted. */
  async #existing(error: StatusError, scope: RequestScope, name: string): Promise<StatusError> {
    try {
      const found = await this.config.objects.get(this.#key(scope, name), {});
      if (found.object().metadata?.deletionTimestamp === undefined) return error;
      return new StatusError({ ...error.status, message: `object is being deleted: ${error.status.message}` });
    } catch {
      return error;
    }
  }

  async #prepareNew(
    scope: RequestScope,
    draft: KubeObject,
    context: StrategyContext,
    admit: AdmitCreate,
    requestName: string,
  ): Promise<Allocation | undefined> {
    const { strategy } = this.config;
    matchNamespace(draft, this.#namespace(scope));
    if (admit.mutate !== undefined) {
      clearSystemMetadata(draft);
      await admit.mutate(draft);
      matchNamespace(draft, this.#namespace(scope));
    }
    if (strategy.authorize !== undefined) await strategy.authorize(draft, undefined, context, requestName);
    fillSystemMetadata(draft, context.now, context.random);
    await scope.pause?.();
    if (strategy.hasGeneration) metadataOf(draft).generation = 1;
    if (this.config.hasStatus && !strategy.keepsStatusOnCreate) delete draft["status"];
    strategy.prepareForCreate?.(draft, context);
    strategy.applyDefaults?.(draft, context.now);
    await scope.pause?.();
    const allocation = (await strategy.allocate?.(draft, undefined, context)) ?? undefined;
    try {
      if (strategy.beforeValidation !== undefined) await strategy.beforeValidation(draft, undefined, context);
      const rule = (name: string) => strategy.validateName(name);
      const problems = firstErrors(() => [
        ...validateMetadata(draft, this.config.namespaced, rule),
        ...(strategy.validate?.(draft, context) ?? []),
      ]);
      this.#throwInvalid(draft, problems.length > 0 ? problems : validateNameSegment(draft));
      for (const warning of strategy.warningsOnCreate?.(draft) ?? []) scope.warnings.add(warning);
      strategy.canonicalize?.(draft, context);
      if (admit.validate !== undefined) await admit.validate(draft);
    } catch (error) {
      await allocation?.revert();
      throw error;
    }
    return allocation;
  }

  async #prepareChange(
    scope: RequestScope,
    draft: KubeObject,
    old: KubeObject,
    context: StrategyContext,
    options: UpdateOptions,
  ): Promise<Allocation | undefined> {
    const { strategy } = this.config;
    const metadata = metadataOf(draft);
    assign(metadata, "generation", old.metadata?.generation);
    const { subresource } = options;
    const status = subresource === "status";
    const part = subresource === undefined || status ? undefined : this.config.parts[subresource];
    if (part !== undefined) {
      part.prepare(draft, old, context);
      strategy.applyDefaults?.(draft, context.now);
    } else if (status) {
      keepAllBut(draft, old, ["metadata", "status"]);
      strategy.prepareForStatusUpdate?.(draft, old, context);
    } else {
      if (this.config.hasStatus) restore(draft, old, "status");
      strategy.prepareForUpdate?.(draft, old, context);
      strategy.applyDefaults?.(draft, context.now);
    }
    if (!status && strategy.hasGeneration && this.#contentChanged(draft, old)) {
      metadataOf(draft).generation = (old.metadata?.generation ?? 0) + 1;
    }
    restoreSystemMetadata(draft, old);
    await scope.pause?.();
    const whole = subresource === undefined;
    const allocation = !whole ? undefined : ((await strategy.allocate?.(draft, old, context)) ?? undefined);
    try {
      if (strategy.beforeValidation !== undefined) await strategy.beforeValidation(draft, old, context, subresource);
      const validate = status ? strategy.validateStatusUpdate : strategy.validateUpdate;
      const problems = firstErrors(() => [
        ...validateMetadataUpdate(draft, old, this.config.namespaced),
        ...(part?.validate(draft, old, context) ?? validate?.call(strategy, draft, old, context) ?? []),
      ]);
      this.#throwInvalid(draft, problems);
      const ofStatus = status ? strategy.warningsOnStatusUpdate?.(draft) : undefined;
      const warnings = whole ? strategy.warningsOnUpdate?.(draft, old) : ofStatus;
      for (const warning of warnings ?? []) scope.warnings.add(warning);
      strategy.canonicalize?.(draft, context);
      const { update } = options.admit;
      if (update.validate !== undefined) await update.validate(draft, old);
    } catch (error) {
      await allocation?.revert();
      throw error;
    }
    return allocation;
  }

  /** What is left of {@link #prepareChange} for a trusted update: mutating plugins are not trusted with the metadata. */
  async #admitTrusted(draft: KubeObject, old: KubeObject, admit: AdmitChange): Promise<void> {
    if (admit.mutate !== undefined) {
      restoreSystemMetadata(draft, old);
      this.#throwInvalid(draft, validateMetadataUpdate(draft, old, this.config.namespaced));
    }
    if (admit.validate !== undefined) await admit.validate(draft, old);
  }

  /** Throws when a mutating plugin has renamed the object that a PUT or an apply creates. */
  #checkNewName(name: string, draft: KubeObject): void {
    const own = draft.metadata?.name ?? "";
    if (own === name) return;
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }

  /**
   * True when anything but metadata differs, and but the status where it is a subresource; such a change increments
   * metadata.generation.
   */
  #contentChanged(draft: KubeObject, old: KubeObject): boolean {
    const { hasStatus, encode } = this.config;
    if (!fieldsDiffer(draft, old, hasStatus ? NOT_CONTENT : NOT_CONTENT_WITHOUT_STATUS)) return false;
    const content = (object: KubeObject) =>
      encode({ ...object, metadata: {}, ...(hasStatus && { status: undefined }) });
    return Buffer.compare(content(draft), content(old)) !== 0;
  }

  async #removed(scope: RequestScope, last: StoredObject): Promise<void> {
    if (!scope.dryRun) await this.strategy.afterDelete?.(last.object(), this.#context(scope)).catch(() => {});
  }

  #throwInvalid(draft: KubeObject, errors: readonly FieldError[]): void {
    if (errors.length > 0) throw invalid(this.config, draft.metadata?.name ?? "", errors);
  }

  /**
   * Throws a Conflict unless the given resourceVersion is the current one. The strategy decides whether an update may leave
   * it out.
   */
  #checkVersion(name: string, draft: KubeObject, old: KubeObject): void {
    const given = draft.metadata?.resourceVersion ?? "";
    if (given === "" || given === "0") {
      if (this.strategy.allowUnconditionalUpdate) {
        assign(metadataOf(draft), "resourceVersion", old.metadata?.resourceVersion);
        return;
      }
      const { group, resource } = this.config;
      const problem = invalidValue("metadata.resourceVersion", 0, "must be specified for an update");
      throw invalid({ group, kind: resource }, name, [problem]);
    }
    if (given !== old.metadata?.resourceVersion) throw conflict(this.config, name, OPTIMISTIC_LOCK_MESSAGE);
  }

  #checkPreconditions(name: string, object: KubeObject, { preconditions }: DeleteOptions): void {
    const { uid, resourceVersion } = object.metadata ?? {};
    // Namespaces word a failed precondition in their own way.
    if (this.strategy.holdsDeletion !== undefined)
      return checkHeldPreconditions(this.config, name, object, preconditions);
    const gr = { group: this.config.group, resource: this.config.kind };
    if (preconditions?.uid !== undefined && preconditions.uid !== uid) {
      const text = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
      throw conflict(gr, name, text);
    }
    if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
      const text = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
      throw conflict(gr, name, text);
    }
  }

  #context(scope: RequestScope): StrategyContext {
    const { clock, random, access, authorization, internal } = this.config;
    const { user, apiVersion, dryRun, warnings } = scope;
    const warn = (message: string) => warnings.add(message);
    return { now: clock.now(), random, user, apiVersion, dryRun, objects: access, authorization, warn, internal };
  }

  #ttl(): { ttlSeconds?: number } {
    const { ttlSeconds } = this.strategy;
    return ttlSeconds === undefined ? {} : { ttlSeconds };
  }

  #namespace(scope: RequestScope): string {
    return this.config.namespaced ? scope.namespace : "";
  }

  #prefix(scope: RequestScope): string {
    const namespace = this.#namespace(scope);
    return namespace === "" ? "" : `${namespace}/`;
  }

  #key(scope: RequestScope, name: string): string {
    const problems = pathSegmentErrors(name);
    if (problems.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(";")}`);
    return this.#prefix(scope) + name;
  }
}

function checkHeldPreconditions(
  config: StoreConfig,
  name: string,
  { metadata = {} }: KubeObject,
  wanted: DeleteOptions["preconditions"],
): void {
  const fail = (what: string, given: string, found = ""): never => {
    const text = `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${found}`;
    throw conflict(config, name, text);
  };
  if (wanted?.uid !== undefined && wanted.uid !== metadata.uid) fail("UID", wanted.uid, metadata.uid);
  if (wanted?.resourceVersion !== undefined && wanted.resourceVersion !== metadata.resourceVersion) {
    fail("ResourceVersion", wanted.resourceVersion, metadata.resourceVersion);
  }
}

/** The API rejected the request, so nothing was written. After a storage error that is not known. */
const isRefusal = (error: unknown): boolean => isStatusError(error) && error.status.code < 500;

const NOT_CONTENT_WITHOUT_STATUS: ReadonlySet<string> = new Set(["apiVersion", "kind", "metadata"]);
const NOT_CONTENT: ReadonlySet<string> = new Set([...NOT_CONTENT_WITHOUT_STATUS, "status"]);

/** A quick comparison. It is also true where one object has an empty struct that the other leaves out. */
function fieldsDiffer(draft: KubeObject, old: KubeObject, ignored: ReadonlySet<string>): boolean {
  const names = new Set([...Object.keys(draft), ...Object.keys(old)]);
  for (const name of names) {
    if (!ignored.has(name) && !deepEqual(draft[name] as JsonValue, old[name] as JsonValue)) return true;
  }
  return false;
}

function restore(draft: KubeObject, old: KubeObject, field: string): void {
  if (old[field] === undefined) delete draft[field];
  else draft[field] = deepCopy(old[field] as JsonValue);
}

function keepAllBut(draft: KubeObject, old: KubeObject, changed: readonly string[]): void {
  for (const name of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (!changed.includes(name)) restore(draft, old, name);
  }
}
