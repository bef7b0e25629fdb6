import type { FieldSelector } from "../../../machinery/selectors/field-selector.js";
import type { LabelSelector } from "../../../machinery/selectors/label-selector.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import type { Preconditions } from "../../storage/store.js";
import type { StrategyContext } from "../strategy.js";

type Awaitable<T> = T | PromiseLike<T>;

/**
 * The objects of a resource, kept or computed by code of yours: what rest.Storage is to k8s.io/apiserver. The server offers the verbs whose
 * methods there are: get, list, create and deletecollection by theirs, update and patch by `update`, delete by `delete`, deletecollection
 * also by `list` and `delete`, watch by `watch`, or by `poll` of the storage record. `update` and `delete` need `get` or `list`.
 *
 * Objects are plain JSON values in the shape of the storage version, and may leave out apiVersion and kind. The server checks and copies what
 * the methods return; fields that the schema does not have are dropped. A wrong answer, and an error that is no StatusError, is a 500 for the
 * client and a line in the server's log. A StatusError is the client's answer. A dry run calls no method that writes.
 *
 * The server makes up what objects leave out:
 * - `metadata.namespace`: the namespace of the request.
 * - `metadata.uid`: of the resource, the namespace and the name, so that it is always the same.
 * - `metadata.resourceVersion`: a number made of the content, so that it changes with each change and is the same after a restart. Of a
 *   followed resource (one with `watch`, `poll` or `cache`) it is always the server's: it grows with each change that the server sees,
 *   and begins at the time when the server does. The resourceVersion of such a source reaches its own `update` and `delete` only.
 * - `metadata.creationTimestamp`: nothing; kubectl shows the age `<unknown>`.
 */
export interface ObjectSource {
  /** rest.Getter. Returns undefined where there is no such object. */
  get?(name: string, request: SourceRequest): Awaitable<KubeObject | undefined>;
  /**
   * rest.Lister. Returns all objects of the request's namespace, or of all namespaces for "". The server sorts them, applies the selectors and
   * makes pages. It lists a followed resource in its own name and without selectors, and answers from what it then has.
   */
  list?(request: SourceListRequest): Awaitable<Iterable<KubeObject> | AsyncIterable<KubeObject> | SourcePage>;
  /**
   * rest.Watcher. Yields the changes of all namespaces from the call on. The server calls it once for all watches, in its own name, and lists
   * after the call; it begins anew when the iteration ends. `signal` aborts when nobody watches any more.
   */
  watch?(request: SourceRequest): AsyncIterable<SourceEvent>;
  /** rest.Creater. Returns the object as it is kept; without an answer the server reads it by `get`, else takes the given one. */
  create?(object: KubeObject, request: SourceRequest): Awaitable<KubeObject | undefined | void>;
  /** rest.Updater. Replaces `request.old`. The server computes the object anew when it throws a Conflict and another one is there meanwhile. */
  update?(object: KubeObject, request: SourceUpdateRequest): Awaitable<KubeObject | undefined | void>;
  /** rest.GracefulDeleter. Returns the object with its deletionTimestamp where it goes later. After any other answer it is gone. */
  delete?(name: string, request: SourceDeleteRequest): Awaitable<KubeObject | undefined | void>;
  /** rest.CollectionDeleter. Deletes these objects, which were admitted. Without it, each is deleted by `delete`. */
  deleteCollection?(objects: readonly KubeObject[], request: SourceDeleteRequest): Awaitable<void>;
  /**
   * Returns whether the user of the request may see the object, which must not be changed: get, list, watch and writes of others find nothing. A watch asks again at
   * each change of an object.
   */
  isVisible?(object: KubeObject, request: SourceRequest): Awaitable<boolean>;
}

/** The parts of the request and of the server that a source may use. */
export interface SourceRequest extends Omit<StrategyContext, "release" | "gates"> {
  /** "" for cluster-scoped objects and for all namespaces. */
  readonly namespace: string;
  /** "status", or another subresource that writes a part of the object; "" for the object itself. */
  readonly subresource: string;
  /** Aborts when the client leaves or the request's time is up. */
  readonly signal: AbortSignal;
}

export interface SourceListRequest extends SourceRequest {
  readonly labels: LabelSelector;
  readonly fields: FieldSelector;
  /** Returns whether both selectors match. A source may leave out the objects that do not match. */
  matches(object: KubeObject): boolean;
  /** Of a source that makes its own pages: how many objects the client wants; 0 for all. */
  readonly limit: number;
  /** Of a source that makes its own pages: the token of the page before; "" for the first page. */
  readonly continue: string;
}

export interface SourceUpdateRequest extends SourceRequest {
  /** The object that the new one was computed from. */
  readonly old: KubeObject;
}

export interface SourceDeleteRequest extends SourceRequest {
  /** Seconds that the client gives the object to end; undefined where it leaves that to the server. */
  readonly gracePeriodSeconds: number | undefined;
  readonly propagationPolicy: "Orphan" | "Background" | "Foreground" | undefined;
  /** They hold for the object that the server has just read. */
  readonly preconditions: Preconditions | undefined;
}

/** A page of a list, from a source that pages itself. */
export interface SourcePage {
  readonly items: Iterable<KubeObject>;
  /** The token of the next page. Absent on the last one. */
  readonly continue?: string | undefined;
  readonly remainingItemCount?: number | undefined;
}

export interface SourceEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  /** Of a DELETED object, metadata.name and metadata.namespace are enough. */
  readonly object: KubeObject;
}

/** The options for how the server uses an {@link ObjectSource}. */
export interface SourceOptions {
  /** Milliseconds between two lists, which the server compares while somebody watches. Without it and without `watch` there is no verb watch. */
  readonly poll?: number;
  /** Answers reads from memory, which is filled by `list` and kept current by `watch` or `poll`. Default: each read asks the source. */
  readonly cache?: boolean;
  /** The source makes its own pages: `list` obeys `limit` and `continue` and returns a SourcePage. Default: the server makes them. */
  readonly pages?: boolean;
}

/** Whether the server keeps the objects of the source in memory to see changes. */
export const isFollowed = (source: ObjectSource, { poll, cache }: SourceOptions): boolean =>
  source.watch !== undefined || poll !== undefined || cache === true;

/** Returns the fault of a source; undefined for none. */
export function sourceFault(source: unknown, options: SourceOptions): string | undefined {
  if (typeof source !== "object" || source === null) return "its storage.objects is not an object";
  const { get, list, watch, update, delete: remove, deleteCollection } = source as ObjectSource;
  const isReadable = get !== undefined || list !== undefined;
  if (update !== undefined && !isReadable) return "its storage.objects has update, and neither get nor list";
  if (remove !== undefined && !isReadable) return "its storage.objects has delete, and neither get nor list";
  if (deleteCollection !== undefined && list === undefined)
    return "its storage.objects has deleteCollection and no list";
  if (watch !== undefined && list === undefined) return "its storage.objects has watch and no list";
  const { poll, cache, pages } = options;
  if (poll !== undefined && !(Number.isFinite(poll) && poll > 0)) {
    return "its storage.poll is not a positive number of milliseconds";
  }
  if (poll !== undefined && list === undefined) return "its storage.poll needs a list";
  if (poll !== undefined && watch !== undefined) return "its storage.poll has no effect where there is a watch";
  if (cache === true && watch === undefined && poll === undefined)
    return "its storage.cache needs watch or storage.poll";
  if (pages === true && list === undefined) return "its storage.pages needs a list";
  return undefined;
}

/** The verbs that follow from the methods of a source, sorted. */
export function verbsOfSource(source: ObjectSource, options: SourceOptions): readonly string[] {
  const { get, list, watch, create, update, delete: remove, deleteCollection } = source;
  const verbs: readonly (readonly [unknown, ...string[]])[] = [
    [create, "create"],
    [remove, "delete"],
    [deleteCollection ?? (list && remove), "deletecollection"],
    [get, "get"],
    [list, "list"],
    [update, "patch", "update"],
    [watch ?? options.poll, "watch"],
  ];
  return verbs.flatMap(([method, ...names]) => (method === undefined ? [] : names));
}
