import type { FieldsOf } from "../../../machinery/meta/received.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import { compareKeys } from "../../../base/collections/key-order.js";
import { alreadyExists, isConflict, isGone, notFound } from "../../../machinery/errors/status-error.js";
import type { ListMeta, ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import { listExpired, resourceVersionOnCreate } from "../../storage/store/errors.js";
import type { KvObject } from "../../storage/store/kv-object.js";
import { type ListReads, listObjects } from "../../storage/store/list-objects.js";
import { checkPreconditions } from "../../storage/store/object-store.js";
import type { ObjectView } from "../../storage/store/reads.js";
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
} from "../../storage/store.js";
import type { ValidDeleteOptions } from "../resource.js";
import type { RequestScope } from "../scope.js";
import { orEnd } from "./followed-objects.js";
import type { FoundObject, Source, SourceUse } from "./source.js";
import { watchVisible } from "./watch-visible.js";

type UpdateOptions = NonNullable<Parameters<ObjectStore["guaranteedUpdate"]>[2]>;
type DeleteOptions = NonNullable<Parameters<ObjectStore["delete"]>[1]>;
type Updated = Awaited<ReturnType<ObjectStore["guaranteedUpdate"]>>;
type Change = Parameters<ObjectStore["guaranteedUpdate"]>[1];

/** The objects of a source as one request sees them: the object store that the generic Store uses for a source. */
export class SourceObjects implements ObjectStore {
  constructor(
    private readonly source: Source,
    private readonly scope: RequestScope,
    private readonly use: SourceUse = {},
  ) {}

  async get(key: string, { resourceVersion }: ReadOptions = {}): Promise<StoredObject> {
    const { source, scope } = this;
    const mirror = source.isCached || (resourceVersion === "0" && source.followed?.isCurrent === true);
    if (mirror && source.followed !== undefined) {
      await source.keepCurrent(scope.token);
      return this.#shown(await source.followed.objects.get(key), key);
    }
    return (await this.#current(key)).stored;
  }

  now(): undefined {
    return undefined;
  }

  async list(prefix: string, options: ListObjectsOptions = {}): Promise<ListOfObjects> {
    const { source, scope } = this;
    const { followed } = source;
    if (source.hasPages) return this.#page(prefix, options);
    if (followed === undefined) return listObjects(this.#reads(prefix, options), source.prefix + prefix, options);
    const { resourceVersion = "", resourceVersionMatch, continue: token = "" } = options;
    const isKnown = followed.isCurrent && resourceVersion !== "";
    if (source.isCached) await source.keepCurrent(scope.token);
    else if (token === "" && resourceVersionMatch !== "Exact" && !isKnown) await orEnd(followed.refresh(), scope.token);
    if (!source.hidesObjects) return followed.objects.list(prefix, options);
    return listObjects(this.#visibleReads(prefix), source.prefix + prefix, options);
  }

  async watch(prefix: string, options: WatchObjectsOptions): Promise<AsyncIterable<readonly StoredEvent[]>> {
    const { source, scope } = this;
    const { followed } = source;
    if (followed === undefined) throw new Error("the source is not followed");
    const ending = new AbortController();
    const stop = await followed.follow(scope.token, (reason) => ending.abort(reason));
    const end = (): void => {
      stop();
      ending.abort();
    };
    if (options.signal.aborted) end();
    else options.signal.addEventListener("abort", end, { once: true });
    const sees = source.hidesObjects ? (object: StoredObject) => this.#sees(object) : undefined;
    try {
      // The state that a watch begins with has all that the source had when it was asked for.
      if ((options.resourceVersion ?? "") === "") await orEnd(followed.refresh(), scope.token);
      const events = await followed.objects.watch(prefix, { ...options, signal: ending.signal });
      return watchVisible(events, {
        sees,
        known: async () => (await followed.objects.list(prefix)).items,
        failure: () => (options.signal.aborted ? undefined : ending.signal.reason),
      });
    } catch (error) {
      end();
      throw error;
    }
  }

  async create(
    key: string,
    object: KubeObject,
    options: NonNullable<Parameters<ObjectStore["create"]>[2]> = {},
  ): Promise<StoredObject> {
    const { source } = this;
    const given = object.metadata?.resourceVersion ?? "";
    if (given !== "" && options.dryRun !== true) throw resourceVersionOnCreate();
    if (options.dryRun === true) {
      if (source.isReadable && (await this.#find(key)) !== undefined) {
        throw alreadyExists(source.resource, nameIn(key));
      }
      return source.unwritten(key, 0, object);
    }
    const kept = await source.create(this.scope, key, object);
    return source.stored(kept);
  }

  guaranteedUpdate(key: string, change: Change, options: UpdateOptions = {}): Promise<Updated> {
    return this.source.updates.run(key, () => this.#update(key, change, options));
  }

  async delete(key: string, options: DeleteOptions = {}): Promise<StoredObject> {
    const validate = async (current: StoredObject | undefined): Promise<typeof DELETE> => {
      if (current !== undefined) await options.validate?.(current);
      return DELETE;
    };
    return (await this.#update(key, validate, { ...options, deletes: true })).object;
  }

  async #update(key: string, change: Change, options: UpdateOptions): Promise<Updated> {
    const { source } = this;
    const name = nameIn(key);
    const about = { resource: source.resource, name, key: source.prefix + key };
    let before: FoundObject | undefined;
    for (let conflict: unknown; ; ) {
      const current = await this.#find(key);
      if (conflict !== undefined && current?.stored.revision === before?.stored.revision) throw conflict;
      before = current;
      const mayCreate = options.ignoreNotFound === true && source.creates;
      if (current === undefined && !mayCreate) throw notFound(source.resource, name);
      checkPreconditions(options.preconditions, current?.stored, about);
      const next = await change(current?.stored);
      try {
        return await this.#write(key, current, next, options);
      } catch (error) {
        if (!isConflict(error)) throw error;
        conflict = error;
      }
    }
  }

  async #write(
    key: string,
    current: FoundObject | undefined,
    next: KubeObject | typeof DELETE | DeleteInstead,
    { dryRun, deletes }: UpdateOptions,
  ): Promise<Updated> {
    const { source, scope } = this;
    if (next === DELETE || next instanceof DeleteInstead) return this.#remove(current, next, dryRun);
    if (current === undefined) {
      const object = await this.create(key, withoutVersion(next), { dryRun: dryRun === true });
      return { object, created: true, changed: true, deleted: false };
    }
    // A source that takes no updates cannot keep a mark of a deletion: it decides by itself.
    if (deletes === true && !source.changes) return this.#remove(current, DELETE, dryRun);
    const { stored } = current;
    if (source.encodes(next, stored)) return { object: stored, created: false, changed: false, deleted: false };
    if (dryRun === true) {
      const object = source.unwritten(key, stored.revision, next);
      return { object, created: false, changed: true, deleted: false };
    }
    const kept = await source.update(scope, current.checked, next, this.use);
    return { object: await source.stored(kept), created: false, changed: true, deleted: false };
  }

  async #remove(
    current: FoundObject | undefined,
    how: typeof DELETE | DeleteInstead,
    dryRun: boolean | undefined,
  ): Promise<Updated> {
    const { source, scope } = this;
    if (current === undefined) throw new Error("an object that does not exist cannot be deleted");
    const { stored: last, checked } = current;
    const object = how === DELETE ? last : source.unwritten(checked.key, last.revision, how.written);
    if (dryRun === true) return { object, last, created: false, changed: true, deleted: true };
    const later = await source.delete(scope, checked, this.use);
    if (later === undefined) return { object, last, created: false, changed: true, deleted: true };
    return { object: await source.stored(later), created: false, changed: true, deleted: false };
  }

  async #current(key: string): Promise<FoundObject> {
    const found = await this.#find(key);
    if (found === undefined) throw notFound(this.source.resource, nameIn(key));
    return found;
  }

  /** Asks the source for an object. */
  async #find(key: string): Promise<FoundObject | undefined> {
    const found = await this.source.find(this.scope, key, this.use);
    return found !== undefined && (await this.#sees(found.stored)) ? found : undefined;
  }

  async #shown(stored: StoredObject, key: string): Promise<StoredObject> {
    if (await this.#sees(stored)) return stored;
    throw notFound(this.source.resource, nameIn(key));
  }

  #sees(stored: StoredObject): boolean | Promise<boolean> {
    return this.source.hidesObjects ? this.source.isVisible(this.scope, stored.object()) : true;
  }

  /** A list that asks the source once. */
  #reads(prefix: string, options: ListObjectsOptions): ListReads {
    const { source, scope } = this;
    const view = async (): Promise<ObjectView> => {
      const { objects } = await source.list(scope, prefix, options);
      const stored = objects.map((one) => source.unkept(one));
      return viewOf(await this.#visible(stored), source.versionOf(stored));
    };
    return {
      ignoresLimitOfAny: false,
      latest: view,
      notOlder: view,
      async exactly(_, revision) {
        const now = await view();
        return now.revision === revision ? now : undefined;
      },
    };
  }

  /** A list of what the server knows of a followed source, without what the user may not see. */
  #visibleReads(prefix: string): ListReads {
    const { objects } = this.source.followed as { objects: ObjectStore };
    const view = async (options: ListObjectsOptions): Promise<ObjectView> => {
      const { items, resourceVersion } = await objects.list(prefix, options);
      return viewOf(await this.#visible(items as readonly KvObject[]), Number(resourceVersion));
    };
    return {
      ignoresLimitOfAny: false,
      latest: () => view({}),
      notOlder: (_, revision) => view({ resourceVersion: String(revision) }),
      async exactly(_, revision) {
        try {
          return await view({ resourceVersion: String(revision), resourceVersionMatch: "Exact" });
        } catch (error) {
          if (isGone(error)) return undefined;
          throw error;
        }
      },
    };
  }

  async #visible(objects: readonly KvObject[]): Promise<readonly KvObject[]> {
    if (!this.source.hidesObjects) return objects;
    const visible: KvObject[] = [];
    for (const object of objects) {
      if (await this.#sees(object)) visible.push(object);
      if (sliceIsSpent()) await nextSlice(this.scope.token);
    }
    return visible;
  }

  /** A list in the pages that the source makes. */
  async #page(prefix: string, options: ListObjectsOptions): Promise<ListOfObjects> {
    const { source, scope } = this;
    const { resourceVersionMatch, predicate = () => true, name } = options;
    if (resourceVersionMatch === "Exact") throw listExpired();
    const { objects, page } = await source.list(scope, prefix, options);
    const stored = objects.map((one) => source.unkept(one));
    const visible = await this.#visible(stored);
    const items = visible.filter((one) => predicate(one) && (name === undefined || nameIn(one.key) === name));
    return {
      items,
      resourceVersion: String(source.versionOf(stored)),
      ...(page?.continue !== undefined &&
        page.continue !== "" &&
        ({ continue: page.continue } satisfies FieldsOf<ListMeta>)),
      ...(page?.remainingItemCount !== undefined &&
        ({ remainingItemCount: page.remainingItemCount } satisfies FieldsOf<ListMeta>)),
    };
  }
}

/** The parts of a source's request that a deletion adds. */
export const deletionOf = (options: ValidDeleteOptions): SourceUse => ({ deletion: options });

function viewOf(objects: readonly KvObject[], revision: number): ObjectView {
  return {
    revision,
    async read(from, limit) {
      const start = firstNotBefore(objects, from);
      const end = Math.min(objects.length, start + limit);
      return { objects: objects.slice(start, end), remaining: objects.length - end };
    },
    keep() {
      // The token of the next page names the version, which is there as long as the source has not changed.
    },
  };
}

function firstNotBefore(objects: readonly KvObject[], key: string): number {
  let [low, high] = [0, objects.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (compareKeys((objects[middle] as KvObject).key, key) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

const nameIn = (key: string): string => key.slice(key.lastIndexOf("/") + 1);

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion: _, ...metadata } = object.metadata ?? {};
  return { ...object, metadata } satisfies FieldsOf<ApiObject>;
}
