import { goQuote } from "../../base/text/go-quote.js";
import {
  badRequest,
  generateNameConflict,
  isAlreadyExists,
  isNotFound,
  StatusError,
} from "../../machinery/errors/status-error.js";
import type { KubeObject } from "../../machinery/meta/object.js";
import {
  DELETE,
  DeleteInstead,
  type ListObjectsOptions,
  type ListOfObjects,
  type ReadOptions,
  type StoredEvent,
  type StoredObject,
  type WatchObjectsOptions,
} from "../storage/store.js";
import { copyObject } from "./copy.js";
import type { ResolvedStrategy } from "./default-strategy.js";
import { decideDeletion, marked, shouldDeleteDuringUpdate } from "./deletion.js";
import type {
  ValidDeleteOptions,
  AdmitCreate,
  AdmitDelete,
  AdmitUpdate,
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
import { ADMITTED } from "./resource.js";
import { authorizedCreation } from "./creation-by-update.js";
import { pathSegmentErrors } from "./metadata.js";
import { checkPreconditions } from "./preconditions.js";
import { changeSteps, newObjectSteps } from "./prepare-draft.js";
import type { RequestScope } from "./scope.js";
import { namespaceOf, type StoreConfig, strategyContext } from "./store-config.js";
import type { StrategyContext } from "./strategy.js";
import { ignoresReadErrors, notOfCollections, requireUnsafeDeletion } from "./unsafe-deletion.js";
import { WriteTransaction } from "./write-transaction.js";

/**
 * The registry of any stored resource: system metadata, the strategy's hooks, validation, finalizers and graceful deletion
 * over an {@link ObjectStore}. A failed request stores nothing. A dry run does everything but the write.
 *
 * The strategies of built-in kinds are in `src/server/builtin`, a file each.
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
    const parts = { config: this.config, scope, draft, context: this.#context(scope) };
    const write = new WriteTransaction(scope, admit);
    const store = async (): Promise<StoredObject> => {
      await write.prepare(() => newObjectSteps(parts, admit, ""));
      await scope.pause?.(write.token);
      const options = { ...this.#ttl(), dryRun: scope.dryRun, inSlices: scope.pause !== undefined, token: write.token };
      const { name = "", generateName = "" } = draft.metadata ?? {};
      try {
        return await this.config.objects.create(this.#key(scope, name), draft, options);
      } catch (error) {
        if (!isAlreadyExists(error)) throw error;
        throw generateName === ""
          ? await this.#existing(error, scope, name)
          : generateNameConflict(this.config, name, 1);
      }
    };
    const isNeverWritten = () => (draft.metadata?.resourceVersion ?? "") !== "";
    const stored = await write.run(store, { isNeverWritten });
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
    const write = new WriteTransaction(scope, options.admit);
    let creation: AdmitCreate | undefined;
    const next = async (current: StoredObject | undefined): Promise<KubeObject | DeleteInstead> => {
      const context = this.#context(scope);
      const old = current?.object();
      let draft: KubeObject = {};
      await write.prepare(async () => {
        draft = await transform(current);
        const parts = { config: this.config, scope, draft, context };
        if (old !== undefined) return changeSteps(parts, old, name, options);
        creation ??= this.#creationByUpdate(scope, name, options.admit);
        return newObjectSteps(parts, creation, name);
      });
      if (old === undefined) this.#checkNewName(name, draft);
      await scope.pause?.(write.token);
      if (old === undefined) return draft;
      const held = strategy.holdsDeletion?.(draft) === true;
      return !held && shouldDeleteDuringUpdate(draft, old) ? new DeleteInstead(draft) : draft;
    };
    const store = () =>
      objects.guaranteedUpdate(this.#key(scope, name), next, {
        ...this.#ttl(),
        preconditions: options.preconditions,
        ignoreNotFound:
          options.createMissing === true || (strategy.allowCreateOnUpdate && options.subresource === undefined),
        dryRun: scope.dryRun,
        inSlices: scope.pause !== undefined,
        token: write.token,
      });
    const result = await write.run(store, { isStored: ({ deleted }) => !deleted });
    if (result.deleted) await this.#removed(scope, result.last ?? result.object);
    return result;
  }

  /** What the server itself writes is admitted already. */
  #creationByUpdate(scope: RequestScope, name: string, admit: AdmitUpdate): AdmitCreate {
    return admit === ADMITTED ? admit.create : authorizedCreation(this.config, scope, name, admit.create);
  }

  async delete(
    scope: RequestScope,
    name: string,
    options: ValidDeleteOptions,
    admit: AdmitDelete,
  ): Promise<{ object: StoredObject; gone: boolean }> {
    const key = this.#key(scope, name);
    const { objects, strategy, clock, deletion } = this.config;
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
        checkPreconditions(this.config, name, object, options);
        await admit?.(object);
        const decision = decideDeletion(object, options, strategy, clock.now(), deletion);
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
      { dryRun: scope.dryRun, token: scope.token, deletes: true },
    );
    // What follows belongs to what is stored: it is done whether the client waits for it or not.
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

  async deleteUnreadable(scope: RequestScope, name: string, options: ValidDeleteOptions): Promise<boolean> {
    const { objects } = this.config;
    if (!ignoresReadErrors(this.config, options) || objects.deleteUnreadable === undefined) return false;
    await requireUnsafeDeletion(this.config, scope, name, options);
    await objects.deleteUnreadable(this.#key(scope, name), { dryRun: scope.dryRun, token: scope.token });
    return true;
  }

  async deleteCollection(
    scope: RequestScope,
    list: ListObjectsOptions,
    options: ValidDeleteOptions,
    admit: AdmitDelete,
  ): Promise<ListOfObjects> {
    if (ignoresReadErrors(this.config, options)) throw notOfCollections();
    const found = await this.list(scope, list);
    // The workers share one iterator. Those that are left end when one of them has failed.
    const items = found.items.values();
    let hasFailed = false;
    const work = async (): Promise<void> => {
      for (const item of items) {
        if (hasFailed) return;
        const { name = "", namespace = "" } = item.object().metadata ?? {};
        try {
          await this.delete({ ...scope, namespace }, name, options, admit);
        } catch (error) {
          // Another request deleted the object first.
          if (isNotFound(error)) continue;
          hasFailed = true;
          throw error;
        }
      }
    };
    const workers = Math.max(1, this.config.deletion?.collectionWorkers ?? 1);
    const ended = await Promise.allSettled(Array.from({ length: Math.min(workers, found.items.length) }, work));
    const failure = ended.find(({ status }) => status === "rejected");
    if (failure?.status === "rejected") throw failure.reason;
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

  /** Throws when a mutating plugin has renamed the object that a PUT or an apply creates. */
  #checkNewName(name: string, draft: KubeObject): void {
    const own = draft.metadata?.name ?? "";
    if (own === name) return;
    throw badRequest(`the name of the object (${own}) does not match the name on the URL (${name})`);
  }

  async #removed(scope: RequestScope, last: StoredObject): Promise<void> {
    if (!scope.dryRun) await this.strategy.afterDelete?.(last.object(), this.#context(scope)).catch(() => {});
  }

  #context(scope: RequestScope): StrategyContext {
    return strategyContext(this.config, scope);
  }

  #ttl(): { ttlSeconds?: number } {
    const { ttlSeconds } = this.strategy;
    return ttlSeconds === undefined ? {} : { ttlSeconds };
  }

  #prefix(scope: RequestScope): string {
    const namespace = namespaceOf(this.config, scope);
    return namespace === "" ? "" : `${namespace}/`;
  }

  #key(scope: RequestScope, name: string): string {
    const problems = pathSegmentErrors(name);
    if (problems.length > 0) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${problems.join(";")}`);
    return this.#prefix(scope) + name;
  }
}
