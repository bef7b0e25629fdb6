import { randomBelow } from "../base/random-below.js";
import { PATCH_MEDIA_TYPES, type PatchType } from "../client/dynamic/patch-type.js";
import type { RestClient, RestRequest } from "../client/rest/rest-client.js";
import { encodeJson } from "../machinery/codec/json-encoder.js";
import { isStatusError } from "../machinery/errors/status-error.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import { encodeBody } from "./encode-json.js";
import { resourcePath } from "./resource-path.js";
import { isList } from "./is-list.js";
import { readWatch, type WatchEvent } from "./watch-stream.js";

/** What a request says besides its object. An empty string or false is not sent. */
export interface HelperOptions {
  /** The server does everything but keep the result. */
  readonly dryRun?: boolean | undefined;
  readonly fieldManager?: string | undefined;
  readonly fieldValidation?: string | undefined;
  readonly subresource?: string | undefined;
  /** Replaces the Accept header of reads (tables). */
  readonly accept?: string | undefined;
  /** Added to the query of reads. */
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Where kubectl uses a client for the one kind: lists and watches keep --request-timeout to themselves. */
  readonly typed?: boolean | undefined;
  /** Which client kubectl uses; only the log shows it. Default: with `typed` the client for the one kind, else what the request says. */
  readonly sentBy?: RestRequest["sentBy"];
}

export interface ListParameters {
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
  /** 0: no limit. */
  readonly limit?: number | undefined;
  readonly continue?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

/** Body of a delete. Fields that are undefined are not sent. */
export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string } | undefined;
}

/**
 * The requests kubectl makes of one resource: same path, query and body, byte for byte. Errors are the client's:
 * StatusError for an answer, TransportError for none.
 */
export class Helper {
  constructor(
    private readonly client: RestClient,
    private readonly mapping: RestMapping,
    private readonly options: HelperOptions = {},
  ) {}

  get(namespace: string, name: string): Promise<KubeObject> {
    return this.send("GET", this.path(namespace, name), this.readQuery({}));
  }

  /** One page. */
  list(namespace: string, parameters: ListParameters): Promise<KubeObject> {
    const query = this.readQuery(listQuery(parameters));
    return this.send("GET", this.path(namespace), query, undefined, undefined, this.options.typed);
  }

  /** POSTs the object without its resourceVersion: the server refuses to create an object that has one. */
  create(namespace: string, object: KubeObject): Promise<KubeObject> {
    return this.createEncoded(namespace, encodeBody(withoutVersion(object)));
  }

  /** POSTs an object whose bytes are made already. */
  createEncoded(namespace: string, body: Uint8Array, contentType = "application/json"): Promise<KubeObject> {
    return this.send("POST", this.path(namespace), this.writeQuery(), body, contentType);
  }

  /** `patch` is sent as it is. `force` takes fields over from other managers in an apply patch. */
  patch(namespace: string, name: string, type: PatchType, patch: Uint8Array, force?: boolean): Promise<KubeObject> {
    const query = { ...this.writeQuery(), force: force === undefined ? undefined : String(force) };
    return this.send("PATCH", this.path(namespace, name), query, patch, PATCH_MEDIA_TYPES[type]);
  }

  /** Without a resourceVersion in `object`, `overwrite` takes the server's, so that the write cannot conflict. */
  async replace(namespace: string, name: string, overwrite: boolean, object: KubeObject): Promise<KubeObject> {
    let body = object;
    if (overwrite && (object.metadata?.resourceVersion ?? "") === "") {
      const reader = new Helper(this.client, this.mapping, { ...this.options, sentBy: "overwrite" });
      const current = await reader.get(namespace, name).catch(() => undefined);
      const resourceVersion = current?.metadata?.resourceVersion;
      if (resourceVersion !== undefined) body = { ...object, metadata: { ...object.metadata, resourceVersion } };
    }
    return this.send("PUT", this.path(namespace, name), this.writeQuery(), encodeBody(body), "application/json");
  }

  /** Answers with the object while it is on its way out, else with a Status. */
  delete(namespace: string, name: string, options: DeleteOptions = {}): Promise<KubeObject> {
    const body = deleteBody(options, this.options.dryRun === true);
    return this.send("DELETE", this.path(namespace, name), {}, body, "application/json");
  }

  /** Events of a collection, or of the one object `name`. Ends when the server ends it or the signal aborts. */
  async watch(
    namespace: string,
    parameters: ListParameters & { readonly name?: string | undefined },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<WatchEvent>> {
    const { name, ...rest } = parameters;
    const fieldSelector = name === undefined ? rest.fieldSelector : `metadata.name=${name}`;
    const query = this.readQuery({ ...listQuery({ ...rest, fieldSelector }), watch: "true" });
    return this.openWatch(namespace, query, signal);
  }

  /**
   * A watch of one object that begins with its present state and then a bookmark (`k8s.io/initial-events-end`); a server
   * that cannot do that begins with the state of a list, and the bookmark is made up here.
   */
  async watchFromStart(namespace: string, name: string, signal: AbortSignal): Promise<AsyncIterable<WatchEvent>> {
    const fieldSelector = `metadata.name=${name}`;
    const { random } = this.client;
    // Five to ten minutes, as client-go's reflectors ask for.
    const timeoutSeconds = String(300 + (random === undefined ? 0 : randomBelow(random, 300)));
    const open = (query: Query): Promise<AsyncIterable<WatchEvent>> =>
      this.openWatch(
        namespace,
        { allowWatchBookmarks: "true", fieldSelector, timeoutSeconds, watch: "true", ...query },
        signal,
      );
    try {
      return await open({ resourceVersionMatch: "NotOlderThan", sendInitialEvents: "true" });
    } catch (error) {
      if (!isStatusError(error) || (error.code !== 400 && error.code !== 422)) throw error;
    }
    const list = await this.list(namespace, { fieldSelector });
    const { resourceVersion = "" } = list.metadata ?? {};
    return withInitialState(list, await open({ resourceVersion }));
  }

  private async openWatch(namespace: string, query: Query, signal?: AbortSignal): Promise<AsyncIterable<WatchEvent>> {
    const answer = await this.client.stream({
      method: "GET",
      path: this.path(namespace),
      query: sorted(query),
      accept: this.options.accept ?? "application/json",
      signal: signal ?? this.options.signal,
      limitUntold: this.options.typed === true,
      sentBy: this.sentBy(),
    });
    return readWatch(answer.body);
  }

  private sentBy(): RestRequest["sentBy"] {
    return this.options.sentBy ?? (this.options.typed === true ? "typed" : undefined);
  }

  private path(namespace: string, name?: string): string {
    const subresource = name === undefined ? undefined : this.options.subresource;
    return resourcePath(this.mapping, namespace, name, subresource);
  }

  private readQuery(query: Query): Query {
    return { ...query, ...this.options.query };
  }

  private writeQuery(): Query {
    const { dryRun, fieldManager, fieldValidation } = this.options;
    return {
      dryRun: dryRun === true ? "All" : undefined,
      fieldManager: fieldManager || undefined,
      fieldValidation: fieldValidation || undefined,
    };
  }

  private async send(
    method: string,
    path: string,
    query: Query,
    body?: Uint8Array,
    contentType?: string,
    limitUntold = false,
  ): Promise<KubeObject> {
    const { accept = "application/json", signal } = this.options;
    const answer = await this.client.request({
      method,
      path,
      query: sorted(query),
      ...(body !== undefined && { body }),
      ...(contentType !== undefined && { contentType }),
      accept: method === "GET" ? accept : "application/json",
      signal,
      limitUntold,
      sentBy: this.sentBy(),
    });
    const object: KubeObject = answer.json();
    if (this.options.typed !== true && (object.kind ?? "") === "") {
      throw new Error(`Object 'Kind' is missing in '${Buffer.from(answer.body).toString("utf8")}'`);
    }
    return object;
  }
}

/** In the order Go encodes the type. */
function deleteBody(
  { gracePeriodSeconds, preconditions, propagationPolicy }: DeleteOptions,
  dryRun: boolean,
): Uint8Array {
  const options = { gracePeriodSeconds, preconditions, propagationPolicy, dryRun: dryRun ? ["All"] : undefined };
  return new TextEncoder().encode(`${encodeJson(options)}\n`);
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion, ...metadata } = object.metadata ?? {};
  return (resourceVersion ?? "") === "" ? object : { ...object, metadata };
}

type Query = Readonly<Record<string, string | undefined>>;

function listQuery(parameters: ListParameters): Query {
  return {
    continue: parameters.continue || undefined,
    fieldSelector: parameters.fieldSelector || undefined,
    labelSelector: parameters.labelSelector || undefined,
    limit: parameters.limit ? String(parameters.limit) : undefined,
    resourceVersion: parameters.resourceVersion || undefined,
  };
}

/** Go encodes a query in the order of its keys. */
const sorted = (query: Query): Query =>
  Object.fromEntries(Object.entries(query).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));

async function* withInitialState(
  list: KubeObject,
  changes: AsyncIterable<WatchEvent>,
): AsyncGenerator<WatchEvent, void> {
  if (isList(list)) for (const object of list.items) yield { type: "ADDED", object };
  yield { type: "BOOKMARK", object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } };
  yield* changes;
}
