import type { FieldsOf } from "../../../machinery/meta/received.js";
import type { CancellationToken } from "../../../base/async/cancellation.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import { compareKeys } from "../../../base/collections/key-order.js";
import type { Timers } from "../../../base/time/timers.js";
import { fieldSelector } from "../../../machinery/selectors/field-selector.js";
import { labelSelector } from "../../../machinery/selectors/label-selector.js";
import type { ApiObject, KubeObject } from "../../../machinery/meta/object.js";
import type { GroupResource } from "../../../machinery/errors/status-error.js";
import type { VersionedKind } from "../../../machinery/scheme/scheme.js";
import { Codecs } from "../../storage/store/codecs.js";
import { KeyedMutex } from "../../storage/store/keyed-mutex.js";
import type { KvObject } from "../../storage/store/kv-object.js";
import type { ListObjectsOptions, ObjectCodec, Selectors, StoredObject } from "../../storage/store.js";
import { copyObject } from "../copy.js";
import type { ValidDeleteOptions } from "../resource.js";
import { loopbackScope, type RequestScope } from "../scope.js";
import type { StoreConfig } from "../store-config.js";
import { AnswerCheck, type CheckedObject, type Expected, versionOfContent, WrongAnswerError } from "./check-answer.js";
import { type CheckedEvent, FollowedObjects, orEnd } from "./followed-objects.js";
import { CallRequest } from "./call-request.js";
import {
  isFollowed,
  type ObjectSource,
  type SourceDeleteRequest,
  type SourceEvent,
  type SourceOptions,
  type SourcePage,
  type SourceRequest,
} from "./object-source.js";
import { iterated, pageOf, untilAborted, within } from "./read-answer.js";
import { SourceCalls } from "./source-calls.js";

export interface SourceConfig {
  readonly source: ObjectSource;
  readonly options: SourceOptions;
  readonly store: Omit<StoreConfig, "objects">;
  /** The storage version. */
  readonly hub: VersionedKind;
  readonly codec: ObjectCodec;
  /** What keys begin with, ending in "/". */
  readonly prefix: string;
  readonly timers: Timers;
  readonly reportError: (error: unknown) => void;
}

/** The use that a request makes of a source beyond reading. */
export interface SourceUse {
  readonly subresource?: string | undefined;
  readonly deletion?: ValidDeleteOptions;
}

export interface FoundObject {
  readonly stored: KvObject;
  readonly checked: CheckedObject;
}

interface Listed {
  /** In the order of their keys. */
  readonly objects: readonly CheckedObject[];
  /** Of a source that makes its own pages. */
  readonly page: SourcePage | undefined;
}

const EVERYTHING: Selectors = { labels: labelSelector([]), fields: fieldSelector([]) };
/** Objects of a list checked between two looks at the time slice. */
const GLANCE = 20;
/** The pages of a source that the server lists in its own name. */
const PAGE_LIMIT = 500;

/** One source: it calls the source's methods for requests, checks what they return, and turns that into stored objects. */
export class Source {
  readonly resource: GroupResource;
  readonly prefix: string;
  readonly updates: KeyedMutex;
  /** What the server has seen of a source whose changes it follows. */
  readonly followed: FollowedObjects | undefined;
  readonly #check: AnswerCheck;
  readonly #calls: SourceCalls;
  readonly #codecs = new Codecs(0);
  /** With the encodings of objects that were asked for before. */
  readonly #unkept = new WeakMap<CheckedObject, KvObject>();
  /** Ends to follow for the reads of a cache. */
  #stopCache: (() => void) | undefined;
  #filling: Promise<void> | undefined;

  constructor(private readonly config: SourceConfig) {
    const { store, hub, codec, prefix, timers, reportError, source, options } = config;
    this.resource = { group: store.group, resource: store.resource };
    this.prefix = prefix;
    this.updates = new KeyedMutex(timers);
    this.#codecs.register(prefix, codec);
    this.#calls = new SourceCalls(this.resource, reportError, timers);
    const { clock, namespaced } = store;
    this.#check = new AnswerCheck({ resource: this.resource, namespaced, hub, codec, now: () => clock.now() });
    if (!isFollowed(source, options)) return;
    this.followed = new FollowedObjects({
      resource: this.resource,
      prefix,
      codec,
      clock,
      timers,
      list: () => this.#everything(),
      watch: source.watch && ((apply, signal) => this.#watch(apply, signal)),
      pollMilliseconds: options.poll,
    });
  }

  get isCached(): boolean {
    return this.config.options.cache === true;
  }

  get hasPages(): boolean {
    return this.config.options.pages === true && this.followed === undefined;
  }

  get hidesObjects(): boolean {
    return this.config.source.isVisible !== undefined;
  }

  get isReadable(): boolean {
    return this.config.source.get !== undefined || this.config.source.list !== undefined;
  }

  get creates(): boolean {
    return this.config.source.create !== undefined;
  }

  get changes(): boolean {
    return this.config.source.update !== undefined;
  }

  /** Resolves when the cache has its first list. It is kept current from then on. */
  async keepCurrent(token: CancellationToken | undefined): Promise<void> {
    const { followed } = this;
    if (followed === undefined || this.#stopCache !== undefined) return;
    this.#filling ??= followed
      .follow(undefined, () => (this.#stopCache = undefined))
      .then((stop) => {
        this.#stopCache = stop;
      })
      .finally(() => (this.#filling = undefined));
    await orEnd(this.#filling, token);
  }

  /** Asks the source for an object; undefined where there is none. */
  async find(scope: RequestScope, key: string, use: SourceUse): Promise<FoundObject | undefined> {
    const since = await this.followed?.revision();
    const checked = await this.#read(scope, key, use);
    if (checked === undefined) {
      await this.followed?.forget(key, since);
      return undefined;
    }
    return { stored: await this.stored(checked, since), checked };
  }

  async #read(scope: RequestScope, key: string, use: SourceUse): Promise<CheckedObject | undefined> {
    const { source } = this.config;
    if (source.get === undefined) return this.#readFromList(scope, key);
    const place = placeOf(key);
    return this.#calls.run({ method: "get", name: place.name }, scope.token, async () => {
      const given = await source.get?.(place.name, this.#request(scope, place.namespace, use.subresource, {}));
      return given === undefined || given === null ? undefined : this.#check.check(given, place);
    });
  }

  async #readFromList(scope: RequestScope, key: string): Promise<CheckedObject | undefined> {
    if (this.followed !== undefined) return (await orEnd(this.followed.refresh(), scope.token)).get(key);
    const { namespace } = placeOf(key);
    const { objects } = await this.list(scope, namespace === "" ? "" : `${namespace}/`, {});
    return objects.find((one) => one.key === key);
  }

  /** Lists the objects below a prefix, "" or "<namespace>/". */
  list(scope: RequestScope, prefix: string, options: ListObjectsOptions): Promise<Listed> {
    const { source } = this.config;
    const namespace = prefix.slice(0, -1);
    const selectors = options.selectors ?? EVERYTHING;
    const request = this.#request(scope, namespace, undefined, {
      labels: selectors.labels,
      fields: selectors.fields,
      matches: (object: KubeObject) => this.#matches(selectors, object),
      limit: this.hasPages ? (options.limit ?? 0) : 0,
      continue: options.continue ?? "",
    });
    return this.#calls.run({ method: "list", name: "" }, scope.token, async () => {
      const answer: unknown = await source.list?.(request);
      const page = this.config.options.pages === true ? pageOf(answer) : undefined;
      return { objects: await this.#checkList(page?.items ?? answer, namespace, scope.token), page };
    });
  }

  async #checkList(
    given: unknown,
    namespace: string,
    token: CancellationToken | undefined,
  ): Promise<readonly CheckedObject[]> {
    const objects = new Map<string, CheckedObject>();
    const add = (item: unknown): void => {
      const checked = within(`item ${objects.size}`, () => this.#check.check(item, { namespace }));
      if (objects.has(checked.key)) {
        throw new WrongAnswerError(`item ${objects.size}: metadata.name`, `${checked.key} is there twice`);
      }
      objects.set(checked.key, checked);
    };
    const isDue = (): boolean => objects.size % GLANCE === 0 && sliceIsSpent();
    const items = iterated(given);
    if (Symbol.asyncIterator in items) {
      for await (const item of items) {
        add(item);
        if (isDue()) await nextSlice(token);
      }
    } else {
      for (const item of items) {
        add(item);
        if (isDue()) await nextSlice(token);
      }
    }
    return [...objects.values()].toSorted((a, b) => compareKeys(a.key, b.key));
  }

  /** All objects, listed by the server itself. */
  async #everything(): Promise<ReadonlyMap<string, CheckedObject>> {
    const found = new Map<string, CheckedObject>();
    let token = "";
    do {
      const { objects, page } = await this.list(loopbackScope(""), "", { continue: token, limit: PAGE_LIMIT });
      for (const object of objects) found.set(object.key, object);
      token = page?.continue ?? "";
    } while (token !== "");
    return found;
  }

  async #watch(apply: (event: CheckedEvent) => Promise<void>, signal: AbortSignal): Promise<void> {
    const { source } = this.config;
    const place = { method: "watch", name: "" };
    const scope = loopbackScope("");
    try {
      const events = source.watch?.(
        this.#request({ ...scope, token: { isCancelled: false, signal } }, "", undefined, {}),
      );
      if (events === undefined) return;
      const iterator = events[Symbol.asyncIterator]();
      const end = (): void => void iterator.return?.().then(undefined, () => {});
      signal.addEventListener("abort", end, { once: true });
      try {
        for (;;) {
          const { done, value } = await untilAborted(iterator.next(), signal);
          if (done === true || signal.aborted) return;
          await apply(this.#checkEvent(value));
        }
      } finally {
        signal.removeEventListener("abort", end);
      }
    } catch (error) {
      if (signal.aborted) return;
      throw this.#calls.failed(place, error);
    }
  }

  #checkEvent(event: SourceEvent | undefined): CheckedEvent {
    const { type, object } = event ?? {};
    if (type !== "ADDED" && type !== "MODIFIED" && type !== "DELETED") {
      throw new WrongAnswerError("type", `is ${JSON.stringify(type)}, not ADDED, MODIFIED or DELETED`);
    }
    if (type !== "DELETED") {
      const checked = within("object", () => this.#check.check(object, { namespace: "" }));
      return { isGone: false, key: checked.key, object: checked };
    }
    const { name = "", namespace = "" } = object?.metadata ?? {};
    if (name === "") throw new WrongAnswerError("object.metadata.name", "is missing");
    return { isGone: true, key: namespace === "" ? name : `${namespace}/${name}` };
  }

  create(scope: RequestScope, key: string, object: KubeObject): Promise<CheckedObject> {
    const place = placeOf(key);
    return this.#calls.run({ method: "create", name: place.name }, scope.token, async () => {
      const request = this.#request(scope, place.namespace, undefined, {});
      const kept = await this.config.source.create?.(copyObject(object), request);
      return this.#kept(scope, kept, object, place);
    });
  }

  update(scope: RequestScope, old: CheckedObject, next: KubeObject, use: SourceUse): Promise<CheckedObject> {
    const place = placeOf(old.key);
    return this.#calls.run({ method: "update", name: place.name }, scope.token, async () => {
      const more = { old: sourceForm(old.object, old.version) };
      const request = this.#request(scope, place.namespace, use.subresource, more);
      const kept = await this.config.source.update?.(sourceForm(next, old.version), request);
      return this.#kept(scope, kept, next, place);
    });
  }

  /** The object as the source keeps it: as it says, as it can be read, or as it was given. */
  async #kept(
    scope: RequestScope,
    kept: unknown,
    given: KubeObject,
    place: Expected & { readonly name: string },
  ): Promise<CheckedObject> {
    if (kept !== undefined) return this.#check.check(kept, place);
    const found = await this.config.source.get?.(place.name, this.#request(scope, place.namespace, undefined, {}));
    return this.#check.check(found ?? sourceForm(given, undefined), place);
  }

  /** Deletes the object. Resolves with it where it goes later, else with undefined. */
  async delete(scope: RequestScope, old: CheckedObject, use: SourceUse): Promise<CheckedObject | undefined> {
    const place = placeOf(old.key);
    const later = await this.#calls.run({ method: "delete", name: place.name }, scope.token, async () => {
      const answer = await this.config.source.delete?.(place.name, this.#deletion(scope, place.namespace, use));
      const isLater = (answer as KubeObject | undefined)?.metadata?.deletionTimestamp !== undefined;
      return isLater ? this.#check.check(answer, place) : undefined;
    });
    if (later === undefined) await this.followed?.forget(old.key);
    return later;
  }

  async deleteCollection(scope: RequestScope, objects: readonly StoredObject[], use: SourceUse): Promise<void> {
    const request = this.#deletion(scope, scope.namespace, use);
    await this.#calls.run({ method: "deleteCollection", name: "" }, scope.token, () =>
      this.config.source.deleteCollection?.(
        objects.map((one) => copyObject(one.object())),
        request,
      ),
    );
    if (this.followed !== undefined) await orEnd(this.followed.refresh(), scope.token);
  }

  async isVisible(scope: RequestScope, object: KubeObject): Promise<boolean> {
    const { name = "", namespace = "" } = object.metadata ?? {};
    return this.#calls.run({ method: "isVisible", name }, scope.token, async () => {
      const seen: unknown = await this.config.source.isVisible?.(
        object,
        this.#request(scope, namespace, undefined, {}),
      );
      if (typeof seen === "boolean") return seen;
      throw new WrongAnswerError("", `the answer is ${String(seen)}, not true or false`);
    });
  }

  #deletion(scope: RequestScope, namespace: string, use: SourceUse): SourceDeleteRequest {
    const { gracePeriodSeconds, propagationPolicy, preconditions } = use.deletion ?? {};
    const more = { gracePeriodSeconds, propagationPolicy, preconditions };
    return this.#request(scope, namespace, use.subresource, more);
  }

  #request<More extends object>(
    scope: RequestScope,
    namespace: string,
    subresource: string | undefined,
    more: More,
  ): SourceRequest & More {
    return Object.assign(new CallRequest(this.config.store, scope, namespace, subresource ?? ""), more);
  }

  #matches({ labels, fields }: Selectors, object: KubeObject): boolean {
    const attributes = this.config.codec.attributes(object);
    return labels.matches(attributes.labels) && fields.matches(attributes.fields);
  }

  /** The object as readers see it. `since` is the revision when it was read; left out for what was written. */
  async stored(checked: CheckedObject, since?: number): Promise<KvObject> {
    if (this.followed === undefined) return this.unkept(checked);
    return (await this.followed.note(checked, since)) as KvObject;
  }

  /** The object at a version of its own, which the server does not keep. */
  unkept(checked: CheckedObject): KvObject {
    let stored = this.#unkept.get(checked);
    if (stored === undefined) {
      const { key, object, bytes, version } = checked;
      const revision = version === undefined ? versionOfContent(bytes) : Number(version);
      stored = this.#codecs.unwritten(this.prefix + key, revision, bytes, object);
      this.#unkept.set(checked, stored);
    }
    return stored;
  }

  /** An object as it would be written. */
  unwritten(key: string, revision: number, object: KubeObject): KvObject {
    return this.#codecs.unwritten(this.prefix + key, revision, this.config.codec.encode(object), object);
  }

  /** The version of a list, which changes when one of its objects does. */
  versionOf(objects: readonly KvObject[]): number {
    return versionOfContent(Buffer.from(objects.map(({ key, revision }) => `${key} ${revision}`).join("\n")));
  }

  /** Whether the object is stored as it is. */
  encodes(object: KubeObject, stored: StoredObject): boolean {
    return Buffer.compare(this.config.codec.encode(object), stored.bytes) === 0;
  }

  close(): void {
    this.#stopCache?.();
    void this.followed?.close();
  }
}

function placeOf(key: string): { readonly namespace: string; readonly name: string } {
  const at = key.indexOf("/");
  return { namespace: key.slice(0, Math.max(0, at)), name: key.slice(at + 1) };
}

/** The object as its source sees it: at the source's own version, if it has one. */
function sourceForm(object: KubeObject, version: string | undefined): KubeObject {
  const copy = copyObject(object);
  const { resourceVersion: _, ...metadata } = copy.metadata ?? {};
  return {
    ...copy,
    metadata: version === undefined ? metadata : { ...metadata, resourceVersion: version },
  } satisfies FieldsOf<ApiObject>;
}
