import { encodeJson } from "../../machinery/codec/json-encoder.js";
import type { GroupVersionResource } from "../../machinery/meta/gvk.js";
import type { JsonValue } from "../../machinery/meta/json.js";
import type { ApiObject, KubeList, KubeObject } from "../../machinery/meta/object.js";
import type { RestMapping } from "../../machinery/rest-mapper.js";
import type { RestClient, RestRequest } from "../rest/rest-client.js";
import { PATCH_MEDIA_TYPES, type PatchType } from "./patch-type.js";
import { type WatchEvent, watchEvents } from "./watch-events.js";

export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The subresource to call: "status", "scale". */
  readonly subresource?: string;
}

export interface ListOptions extends CallOptions {
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
}

export interface WatchOptions extends Omit<ListOptions, "limit" | "continue"> {
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  /** The server ends the watch after this many seconds. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions extends CallOptions {
  readonly fieldManager?: string;
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  readonly dryRun?: boolean;
}

export interface DeleteOptions extends CallOptions {
  readonly gracePeriodSeconds?: number;
  readonly propagationPolicy?: "Orphan" | "Background" | "Foreground";
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly dryRun?: boolean;
}

/** What a client of a resource is given beside the resource. */
export interface ResourceScope {
  /** Absent: all namespaces, or a resource that has none. */
  readonly namespace?: string | undefined;
  /** Whether the resource has namespaces, where it is known. Then a missing namespace is an error before the request. */
  readonly namespaced?: boolean;
}

/** Finds the resource of a client's kind before each request. It rejects when there is no such kind. */
export type ResolveResource = () => Promise<Pick<RestMapping, "resource" | "namespaced">>;

/**
 * A client of one resource, in a namespace or across all. Throws StatusErrors, TransportErrors when the server does not
 * answer, and NoMatchErrors when the resource is still to be found and there is none.
 */
export class ResourceClient<T extends ApiObject = KubeObject> {
  constructor(
    private readonly rest: RestClient,
    private readonly resource: GroupVersionResource | ResolveResource,
    private readonly scope: ResourceScope = {},
  ) {}

  /** The client of the same resource in a namespace. */
  namespace(name: string): ResourceClient<T> {
    return new ResourceClient<T>(this.rest, this.resource, { ...this.scope, namespace: name });
  }

  get(name: string, options: CallOptions & { readonly resourceVersion?: string } = {}): Promise<T> {
    const { signal, subresource, ...query } = options;
    return this.send("GET", this.path(name, subresource), { query: parameters(query), ...withSignal(signal) });
  }

  list(options: ListOptions = {}): Promise<KubeList<T>> {
    const { signal, subresource: _, ...query } = options;
    return this.send("GET", this.path(), { query: parameters(query), ...withSignal(signal) });
  }

  /**
   * Yields the items of all pages of a list. Throws a 410 StatusError when the list takes longer than the server keeps its
   * snapshot.
   */
  async *listAll(options: Omit<ListOptions, "continue"> = {}): AsyncGenerator<T, void, undefined> {
    let next: string | undefined;
    // The continue token contains the resourceVersion. The server rejects a request with both.
    const { resourceVersion: _version, resourceVersionMatch: _match, ...later } = options;
    do {
      const page = await this.list({ limit: 500, ...(next ? { ...later, continue: next } : options) });
      yield* page.items;
      next = page.metadata.continue;
    } while (next);
  }

  /** Yields events until the server ends the watch, the signal aborts or the caller stops reading. */
  async *watch(options: WatchOptions = {}): AsyncGenerator<WatchEvent<T>, void, undefined> {
    const { signal, subresource: _, ...query } = options;
    const { body } = await this.rest.stream({
      method: "GET",
      path: await this.path(),
      query: { ...parameters(query), watch: "true" },
      ...withSignal(signal),
    });
    yield* watchEvents<T>(body);
  }

  /** Creates the object in the client's namespace, else in its own. */
  create(object: T, options: WriteOptions = {}): Promise<T> {
    const name = options.subresource === undefined ? undefined : object.metadata?.name;
    return this.write("POST", this.path(name, options.subresource, object), object, options);
  }

  /**
   * Replaces the object, in the client's namespace or else in its own. With metadata.resourceVersion, throws a Conflict if it
   * was changed since that version.
   */
  update(object: T, options: WriteOptions = {}): Promise<T> {
    return this.write("PUT", this.path(object.metadata?.name ?? "", options.subresource, object), object, options);
  }

  patch(
    name: string,
    patch: unknown,
    options: WriteOptions & { readonly type: PatchType; readonly force?: boolean },
  ): Promise<T> {
    const { type, force, ...rest } = options;
    const path = this.path(name, options.subresource);
    return this.write("PATCH", path, patch, rest, PATCH_MEDIA_TYPES[type], force ? { force: "true" } : {});
  }

  delete(name: string, options: DeleteOptions = {}): Promise<T> {
    return this.remove(this.path(name, options.subresource), options, {});
  }

  deleteCollection(
    selector: Pick<ListOptions, "labelSelector" | "fieldSelector"> = {},
    options: DeleteOptions = {},
  ): Promise<KubeList<T>> {
    return this.remove(this.path(), options, parameters(selector));
  }

  private remove<R>(path: Path, options: DeleteOptions, query: Record<string, string>): Promise<R> {
    const { signal, subresource: _, dryRun, ...rest } = options;
    const body = { kind: "DeleteOptions", apiVersion: "v1", ...rest, ...(dryRun && { dryRun: ["All"] }) };
    return this.send("DELETE", path, { query, body: encode(body), ...withSignal(signal) });
  }

  private write(
    method: string,
    path: Path,
    body: unknown,
    options: WriteOptions,
    contentType = "application/json",
    more: Record<string, string> = {},
  ): Promise<T> {
    const { signal, subresource: _, dryRun, ...query } = options;
    return this.send(method, path, {
      query: { ...parameters(query), ...(dryRun && { dryRun: "All" }), ...more },
      contentType,
      body: encode(body),
      ...withSignal(signal),
    });
  }

  private async send<R>(method: string, path: Path, request: Omit<RestRequest, "method" | "path">): Promise<R> {
    const answer = await this.rest.request({ method, path: await path, ...request });
    return answer.json() as unknown as R;
  }

  private path(name?: string, subresource?: string, object?: ApiObject): Path {
    const parts = [name, subresource].filter((part) => part !== undefined).map(segment);
    const ofOne = name !== undefined || object !== undefined;
    const scope = { ...this.scope, namespace: this.scope.namespace ?? object?.metadata?.namespace };
    if (typeof this.resource !== "function") return pathOf(this.resource, scope, ofOne, parts);
    return this.resource().then(({ resource, namespaced }) => pathOf(resource, { ...scope, namespaced }, ofOne, parts));
  }
}

/** A promise while the resource is still to be found. */
type Path = string | Promise<string>;

function pathOf(
  { group, version, resource }: GroupVersionResource,
  { namespace, namespaced }: ResourceScope,
  ofOne: boolean,
  parts: readonly string[],
): string {
  if (ofOne && namespaced === true && namespace === undefined) {
    // The server would answer 404, which says that the object is gone.
    throw new Error(`${resource} have namespaces: call .namespace(name) first`);
  }
  const root = group === "" ? `/api/${version}` : `/apis/${group}/${version}`;
  const scope = namespace === undefined || namespaced === false ? "" : `/namespaces/${segment(namespace)}`;
  return [`${root}${scope}/${resource}`, ...parts].join("/");
}

/** Rejects a name that is not a single path segment, because the request would address another resource. */
function segment(name: string): string {
  if (name === "" || name === "." || name === ".." || /[/%]/.test(name)) {
    throw new Error(`invalid name ${JSON.stringify(name)}: it must not be empty, "." or "..", or contain "/" or "%"`);
  }
  return name;
}

function parameters(query: Readonly<Record<string, string | number | boolean | undefined>>): Record<string, string> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([key, value]) => [key, String(value)]));
}

function withSignal(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal };
}

function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(encodeJson(value as JsonValue));
}
