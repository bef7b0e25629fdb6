import { encodeJson } from "../../machinery/wire/json/json-encoder.js";
import { formatGroupResource, isNotFound, type Status, StatusError } from "../../machinery/errors/status-error.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { ApiObject, KubeList, KubeObject, ObjectMeta } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { RestClient, RestRequest } from "../rest/rest-client.js";
import {
  deleteRequest,
  type ListParameters,
  type ObjectAddress,
  patchRequest,
  readRequest,
  watchRequest,
  writeRequest,
} from "./object-request.js";
import { eachInPages, listInPages } from "./pager.js";
import type { PatchType, ApplyConfiguration, PatchOf } from "./patches.js";
import type { Stored } from "./stored.js";
import type { AnswerOf, SubresourceOf } from "./api-kinds.js";
import { type ObjectEvent, watchBatches, type WatchEvent } from "./watch-events.js";

export interface CallOptions {
  readonly signal?: AbortSignal;
}

export interface SubresourceOptions<Name extends string | undefined = string> extends CallOptions {
  /** The subresource to call: "status", "scale". Its name decides what is sent and answered: a Scale for "scale". */
  readonly subresource?: Name;
}

export interface GetOptions<Name extends string | undefined = string> extends SubresourceOptions<Name> {
  readonly resourceVersion?: string;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
}

export interface ListAllOptions extends Omit<ListOptions, "continue" | "limit"> {
  /** How many items the server is asked for at a time. Default 500; 0 asks for all at once. */
  readonly pageSize?: number;
}

export interface WatchOptions extends Omit<ListOptions, "limit" | "continue"> {
  readonly allowWatchBookmarks?: boolean;
  /**
   * Begins with an ADDED event of each object that there is, then a bookmark annotated `k8s.io/initial-events-end`. Sets the
   * two options that the server requires with it: bookmarks, and `resourceVersionMatch` "NotOlderThan".
   */
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number;
}

/** Options of a watch that yields events of objects alone. */
export interface WithoutBookmarks extends WatchOptions {
  readonly allowWatchBookmarks?: false;
  readonly sendInitialEvents?: false;
}

export interface WriteOptions<Name extends string | undefined = string> extends SubresourceOptions<Name> {
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The server does everything but keep the result. */
  readonly dryRun?: boolean;
}

export interface PatchOptions<Type extends PatchType = PatchType, Name extends string | undefined = string>
  extends WriteOptions<Name> {
  readonly type: Type;
  /** Takes fields over from other managers. Only with type "apply". */
  readonly force?: boolean;
}

export interface ApplyOptions<Name extends string | undefined = string> extends WriteOptions<Name> {
  readonly fieldManager: string;
  /** Takes fields over from other managers, where a conflict would be the answer. */
  readonly force?: boolean;
}

export interface DeleteOptions extends SubresourceOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** What {@link ResourceClient.metadata} reads: an object without spec, status and data. */
export interface PartialObjectMetadata extends ApiObject {
  metadata: ObjectMeta;
}

/** The scope of a resource's client: its namespace, and whether the resource has namespaces. */
export interface ResourceScope {
  /** Absent or "": all namespaces, or a resource that has none. */
  readonly namespace?: string;
  /** Whether the resource has namespaces, where it is known. Then a missing namespace is an error before the request. */
  readonly namespaced?: boolean;
  /** The type of the resource's objects, where it is known: `apply` adds it to what names none. */
  readonly type?: { readonly apiVersion: string; readonly kind: string };
  /** Objects, and the items of lists, are read as PartialObjectMetadata. */
  readonly onlyMetadata?: true;
}

/** Finds the resource of a client's kind before each request. It rejects when there is no such kind. */
export type ResolveResource = () => Promise<Pick<RestMapping, "resource" | "namespaced">>;

/**
 * A client of one resource, in a namespace or across all. Throws a StatusError for an error answer, a TransportError where there
 * is no answer, a NoMatchError when the server lacks the resource, and an Error before the request for a missing name or
 * namespace.
 */
export class ResourceClient<T extends ApiObject = KubeObject> {
  constructor(
    private readonly rest: RestClient,
    private readonly target: GroupVersionResource | ResolveResource,
    private readonly scope: ResourceScope = {},
  ) {}

  /** The client of the same resource in a namespace; "" is all namespaces. */
  namespace(name: string): ResourceClient<T> {
    return new ResourceClient<T>(this.rest, this.target, { ...this.scope, namespace: name });
  }

  /**
   * The client of the same objects that reads nothing of them but their metadata, which costs server and client less. What it
   * creates, updates and applies is still the whole object.
   */
  metadata(): ResourceClient<PartialObjectMetadata> {
    return new ResourceClient(this.rest, this.target, { ...this.scope, onlyMetadata: true });
  }

  /** The resource, and whether it has namespaces: undefined where that was never asked. Asks discovery if need be. */
  async resolve(): Promise<{ readonly resource: GroupVersionResource; readonly namespaced: boolean | undefined }> {
    if (typeof this.target === "function") return this.target();
    return { resource: this.target, namespaced: this.scope.namespaced };
  }

  async get<S extends string | undefined = undefined>(
    name: string,
    options: GetOptions<S> = {},
  ): Promise<AnswerOf<T, S>> {
    const { signal, subresource, ...parameters } = options;
    return this.send(readRequest({ ...(await this.placeOf("get")), name, subresource }, parameters), signal);
  }

  /**
   * One page of the list; without `limit` all of it. An item has its apiVersion and kind, which servers leave out in lists of
   * built-in kinds.
   */
  async list(options: ListOptions = {}): Promise<KubeList<Stored<T>>> {
    const { signal, ...parameters } = options;
    return this.page(parameters, signal);
  }

  /**
   * Yields the items of a list, which it reads in pages. Yields each once: when the server no longer has the snapshot of the
   * first page (410), the rest comes from a new list.
   */
  listAll(options: ListAllOptions = {}): AsyncGenerator<Stored<T>, void, undefined> {
    const { signal } = options;
    return eachInPages((parameters) => this.page(parameters, signal), inPages(options));
  }

  /**
   * The whole list, read in pages: one snapshot, with its resourceVersion to watch from. When the server no longer has the
   * snapshot of the first page (410), the list is read again, in one.
   */
  async listWhole(options: ListAllOptions = {}): Promise<KubeList<Stored<T>>> {
    const { signal } = options;
    return listInPages((parameters) => this.page(parameters, signal), inPages(options));
  }

  /**
   * Yields events until the server ends the watch or the caller stops reading. Throws an ERROR event as a StatusError (410
   * when the resourceVersion is too old), and the reason of the signal when it aborts. Yields bookmarks only where the options
   * ask for them.
   */
  watch(options?: WithoutBookmarks): AsyncGenerator<ObjectEvent<T>, void, undefined>;
  watch(options: WatchOptions): AsyncGenerator<WatchEvent<T>, void, undefined>;
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, undefined> {
    for await (const events of this.watchBatches(options)) for (const event of events) yield event;
  }

  /** As {@link watch}, with the events that arrived together in one array. */
  watchBatches(options?: WithoutBookmarks): AsyncGenerator<readonly ObjectEvent<T>[], void, undefined>;
  watchBatches(options: WatchOptions): AsyncGenerator<readonly WatchEvent<T>[], void, undefined>;
  async *watchBatches(options: WatchOptions = {}): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
    const { signal, ...parameters } = options;
    const initial = parameters.sendInitialEvents && ({ allowWatchBookmarks: true, ...FROM_NOW } as const);
    const { body } = await this.rest.stream(
      this.complete(watchRequest(await this.place(), { ...initial, ...parameters }), signal),
    );
    yield* watchBatches<T>(body);
  }

  /**
   * Creates the object in the client's namespace, else in the object's; with a subresource ("eviction", "token"), posts it to
   * that of the object whose name it has.
   */
  async create<S extends string | undefined = undefined>(
    object: SubresourceOf<T, S>,
    options: WriteOptions<S> = {},
  ): Promise<AnswerOf<T, S>> {
    const { signal, subresource, ...parameters } = options;
    const { metadata } = object;
    const name = subresource === undefined ? undefined : metadata?.name;
    const address = { ...(await this.placeOf("create", metadata)), name, subresource };
    return this.send(writeRequest("POST", address, encode(object), parameters), signal);
  }

  /**
   * Replaces the object, in the client's namespace or else in its own. With metadata.resourceVersion, throws a Conflict if it
   * was changed since that version.
   */
  async update<S extends string | undefined = undefined>(
    object: SubresourceOf<T, S>,
    options: WriteOptions<S> = {},
  ): Promise<AnswerOf<T, S>> {
    const { signal, subresource, ...parameters } = options;
    const { metadata } = object;
    const address = { ...(await this.placeOf("update", metadata)), name: metadata?.name ?? "", subresource };
    return this.send(writeRequest("PUT", address, encode(object), parameters), signal);
  }

  /** Replaces the object's status and nothing else of it. */
  updateStatus(object: T, options: Omit<WriteOptions, "subresource"> = {}): Promise<Stored<T>> {
    return this.update<"status">(object, { ...options, subresource: "status" });
  }

  /** Changes the object by a patch: a value that is sent as JSON, or its bytes. */
  patch<S extends string | undefined = undefined>(
    name: string,
    patch: Uint8Array,
    options: PatchOptions<PatchType, S>,
  ): Promise<AnswerOf<T, S>>;
  patch<Y extends PatchType, S extends string | undefined = undefined>(
    name: string,
    patch: PatchOf<SubresourceOf<T, S>, Y>,
    options: PatchOptions<Y, S>,
  ): Promise<AnswerOf<T, S>>;
  async patch<S extends string | undefined = undefined>(
    name: string,
    patch: unknown,
    options: PatchOptions<PatchType, S>,
  ): Promise<AnswerOf<T, S>> {
    return this.sendPatch({ ...(await this.placeOf("patch")), name }, patch, options);
  }

  /** Changes the object's status by a patch, and nothing else of it. */
  patchStatus<Y extends PatchType>(
    name: string,
    patch: PatchOf<T, Y>,
    options: Omit<PatchOptions<Y>, "subresource">,
  ): Promise<Stored<T>> {
    return this.patch<Y, "status">(name, patch, {
      ...options,
      subresource: "status",
    });
  }

  /**
   * Server-side apply: creates the object or makes its fields what they are here, in the client's namespace or else in its own.
   * Throws a Conflict, which names the other managers, for a field that another manager owns with another value. An object of a
   * kind's client need not name its apiVersion and kind.
   */
  async apply<S extends string | undefined = undefined>(
    object: ApplyConfiguration<SubresourceOf<T, S>>,
    options: ApplyOptions<S>,
  ): Promise<AnswerOf<T, S>> {
    const { metadata } = object as ApiObject;
    const address = { ...(await this.placeOf("apply", metadata)), name: metadata?.name ?? "" };
    const { subresource } = options;
    const typed = subresource === undefined || subresource === "status" ? { ...this.scope.type, ...object } : object;
    return this.sendPatch(address, typed, { ...options, type: "apply" });
  }

  /** Answers with a Status, or with the object while finalizers or its grace period keep it. */
  async delete(name: string, options: DeleteOptions = {}): Promise<Stored<T> | Status> {
    const { signal, subresource, ...parameters } = options;
    return this.send(deleteRequest({ ...(await this.placeOf("delete")), name, subresource }, parameters), signal);
  }

  /** Deletes the objects of the client's namespace that the selectors match; without selectors all of them. */
  async deleteCollection(
    selector: Pick<ListOptions, "labelSelector" | "fieldSelector"> = {},
    options: Omit<DeleteOptions, "subresource"> = {},
  ): Promise<KubeList<Stored<T>> | Status> {
    const { signal, ...parameters } = options;
    return this.send(deleteRequest(await this.placeOf("deleteCollection"), parameters, selector), signal);
  }

  private sendPatch<R>(
    address: ObjectAddress,
    patch: unknown,
    options: PatchOptions<PatchType, string | undefined>,
  ): Promise<R> {
    const { signal, subresource, type, ...parameters } = options;
    return this.send(patchRequest({ ...address, subresource }, type, encode(patch), parameters), signal);
  }

  private async page(parameters: ListParameters, signal: AbortSignal | undefined): Promise<KubeList<Stored<T>>> {
    const list = await this.send<KubeList<Stored<T>>>(
      readRequest(await this.place(), parameters),
      signal,
      "PartialObjectMetadataList",
    );
    return { ...list, metadata: list.metadata ?? {}, items: itemsOf(list) };
  }

  private async send<R>(
    request: RestRequest,
    signal: AbortSignal | undefined,
    metadata?: "PartialObjectMetadataList",
  ): Promise<R> {
    const answer = await this.rest
      .request(this.complete(request, signal, metadata))
      .catch((error: unknown) => this.explain(error, request));
    // The server answers with the kind that was asked for.
    return answer.json() as unknown as R;
  }

  /** kube-apiserver has another name for the metadata of a list than for that of an object, which a watch sends. */
  private complete(
    request: RestRequest,
    signal: AbortSignal | undefined,
    metadata: "PartialObjectMetadata" | "PartialObjectMetadataList" = "PartialObjectMetadata",
  ): RestRequest {
    if (this.scope.onlyMetadata !== true) return { ...request, signal };
    return { ...request, accept: `application/json;as=${metadata};g=meta.k8s.io;v=v1,application/json`, signal };
  }

  private async place(): Promise<ObjectAddress> {
    const { resource, namespaced } = await this.resolve();
    return { resource, namespace: namespaced === false ? "" : (this.scope.namespace ?? "") };
  }

  /** The place of one object. Throws when the resource has namespaces and neither the client nor the object names one. */
  private async placeOf(verb: string, metadata?: ObjectMeta): Promise<ObjectAddress> {
    const { resource, namespaced } = await this.resolve();
    if (namespaced === false) return { resource, namespace: "" };
    const namespace = this.scope.namespace || metadata?.namespace || "";
    if (namespace === "" && namespaced === true) {
      const where = metadata === undefined ? "" : ", or set the object's metadata.namespace";
      const text = formatGroupResource(resource);
      throw new Error(`${text} have namespaces: call .namespace(name) before .${verb}(...)${where}`);
    }
    return { resource, namespace };
  }

  /** Where a path lacks its namespace, a server answers 404 without the name of an object. */
  private explain(error: unknown, { method, path }: RestRequest): never {
    const { target, scope } = this;
    if (typeof target === "function" || scope.namespaced !== undefined || (scope.namespace ?? "") !== "") throw error;
    if (!isNotFound(error)) throw error;
    const { name, causes = [] } = error.status.details ?? {};
    const ofPath = name === undefined || causes.some(({ reason }) => reason === "UnexpectedServerResponse");
    const isList = method === "GET" && path.endsWith(`/${target.resource}`);
    if (!ofPath || isList) throw error;
    const hint = `if ${formatGroupResource(target)} have namespaces, call .namespace(name) first`;
    throw new StatusError({ ...error.status, message: `${error.message}: ${hint}` });
  }
}

function inPages(options: ListAllOptions): ListParameters {
  const { pageSize, signal: _, ...parameters } = options;
  return { ...parameters, ...(pageSize !== undefined && { limit: pageSize }) };
}

const FROM_NOW = { resourceVersionMatch: "NotOlderThan" } as const;

/** Adds apiVersion and kind to the items of a built-in kind, first as elsewhere. Go writes an empty list as null. */
function itemsOf<T extends ApiObject>({ apiVersion, kind, items }: KubeList<T>): T[] {
  if ((items as T[] | null) === null || items === undefined) return [];
  if (!kind.endsWith("List") || kind === "List") return items;
  const of = kind.slice(0, -"List".length);
  return items.map((item) => (item.kind === undefined ? { apiVersion, kind: of, ...item } : item));
}

function encode(value: unknown): Uint8Array {
  return value instanceof Uint8Array ? value : new TextEncoder().encode(jsonOf(value));
}

/** By JSON.stringify, which is several times as fast as our encoder and refuses nothing of ours but integers beyond 2^53. */
function jsonOf(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (error instanceof Error && error.message.includes("BigInt")) return encodeJson(value);
    throw error;
  }
}
