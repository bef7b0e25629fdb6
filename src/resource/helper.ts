import type { FieldsOf } from "../machinery/meta/received.js";
import { randomBelow } from "../base/numbers/random-below.js";
import {
  type DeleteParameters,
  deleteRequest,
  type ListParameters,
  type ObjectAddress,
  patchRequest,
  readRequest,
  type WatchParameters,
  watchRequest,
  writeRequest,
} from "../client/dynamic/object-request.js";
import type { PatchType } from "../client/dynamic/patches.js";
import type { WatchFrame } from "../client/dynamic/watch-events.js";
import type { RestClient, RestRequest } from "../client/rest/rest-client.js";
import { isStatusError, type Status } from "../machinery/errors/status-error.js";
import { text } from "../machinery/meta/access.js";
import type { KubeObject } from "../machinery/meta/object.js";
import type { RestMapping } from "../machinery/rest-mapper.js";
import { encodeBody } from "./encode-json.js";
import { isList } from "./lists.js";

/** The parameters of a request apart from its object. An empty string or false is not sent. */
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

/** The body of a delete. Fields that are undefined are not sent. */
export type DeleteOptions = Omit<DeleteParameters, "dryRun">;

/**
 * kubectl's way with the requests of one resource (cli-runtime's resource.Helper): options that hold for all of them, bodies
 * as Go encodes them, and an error for an answer without a kind. Errors are the client's: StatusError for an answer,
 * TransportError for none.
 */
export class Helper {
  constructor(
    private readonly client: RestClient,
    private readonly mapping: RestMapping,
    private readonly options: HelperOptions = {},
  ) {}

  get(namespace: string, name: string): Promise<KubeObject> {
    return this.send({ ...this.read(readRequest(this.address(namespace, name), {})), limitUntold: false });
  }

  /** One page. */
  list(namespace: string, parameters: ListParameters): Promise<KubeObject> {
    return this.send(this.read(readRequest(this.address(namespace), parameters)));
  }

  /** POSTs the object without its resourceVersion: the server refuses to create an object that has one. */
  create(namespace: string, object: KubeObject): Promise<KubeObject> {
    return this.createEncoded(namespace, encodeBody(withoutVersion(object)));
  }

  /** POSTs an object whose bytes are made already. */
  createEncoded(namespace: string, body: Uint8Array, contentType = "application/json"): Promise<KubeObject> {
    return this.send({ ...writeRequest("POST", this.address(namespace), body, this.written), contentType });
  }

  /** `patch` is sent as it is. `force` takes fields over from other managers in an apply patch. */
  patch(namespace: string, name: string, type: PatchType, patch: Uint8Array, force?: boolean): Promise<KubeObject> {
    return this.send(patchRequest(this.address(namespace, name), type, patch, { ...this.written, force }));
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
    return this.send(writeRequest("PUT", this.address(namespace, name), encodeBody(body), this.written));
  }

  /** Answers with the object while it is on its way out, else with a Status. */
  delete(namespace: string, name: string, options: DeleteOptions = {}): Promise<KubeObject> {
    const { dryRun } = this.options;
    return this.send(deleteRequest(this.address(namespace, name), { ...options, dryRun }));
  }

  /** Events of a collection, or of the one object `name`. Ends when the server ends it or the signal aborts. */
  watch(
    namespace: string,
    { name, ...parameters }: ListParameters & { readonly name?: string | undefined },
    signal?: AbortSignal,
  ): Promise<AsyncIterable<WatchFrame>> {
    const fieldSelector = name === undefined ? parameters.fieldSelector : `metadata.name=${name}`;
    return this.openWatch(namespace, { ...parameters, fieldSelector }, signal);
  }

  /**
   * A watch of one object that begins with its present state and then a bookmark (`k8s.io/initial-events-end`); a server
   * that cannot do that begins with the state of a list, and the bookmark is made up here.
   */
  async watchFromStart(namespace: string, name: string, signal: AbortSignal): Promise<AsyncIterable<WatchFrame>> {
    const fieldSelector = `metadata.name=${name}`;
    const { random } = this.client;
    // Five to ten minutes, as client-go's reflectors ask for.
    const timeoutSeconds = 300 + (random === undefined ? 0 : randomBelow(random, 300));
    const open = (parameters: WatchParameters): Promise<AsyncIterable<WatchFrame>> =>
      this.openWatch(namespace, { allowWatchBookmarks: true, fieldSelector, timeoutSeconds, ...parameters }, signal);
    try {
      return this.told(await open({ resourceVersionMatch: "NotOlderThan", sendInitialEvents: true }));
    } catch (error) {
      if (!isStatusError(error) || (error.code !== 400 && error.code !== 422)) throw error;
    }
    const list = await this.list(namespace, { fieldSelector });
    return this.told(withInitialState(list, await open({ resourceVersion: list.metadata?.resourceVersion })));
  }

  /** The same events. Their receiver opens the watch again after an ERROR; the client is told of one that is not usual. */
  private async *told(events: AsyncIterable<WatchFrame>): AsyncGenerator<WatchFrame, void> {
    for await (const event of events) {
      const { code, message }: FieldsOf<Status> = event.object;
      if (event.type === "ERROR" && code !== 410) this.client.onBrokenWatch?.(text(message));
      yield event;
    }
  }

  private async openWatch(
    namespace: string,
    parameters: WatchParameters,
    signal = this.options.signal,
  ): Promise<AsyncIterable<WatchFrame>> {
    const { sentBy } = this;
    const request = this.read(watchRequest(this.address(namespace), parameters));
    const [{ body }, { framesUntilBroken, watchFrames }] = await Promise.all([
      this.client.stream({ ...request, signal, sentBy }),
      import("../client/dynamic/watch-events.js"),
    ]);
    return eachOf(framesUntilBroken(watchFrames(body)));
  }

  private get sentBy(): RestRequest["sentBy"] {
    return this.options.sentBy ?? (this.options.typed === true ? "typed" : undefined);
  }

  private get written(): Pick<HelperOptions, "dryRun" | "fieldManager" | "fieldValidation"> {
    const { dryRun, fieldManager, fieldValidation } = this.options;
    return { dryRun, fieldManager, fieldValidation };
  }

  private address(namespace: string, name?: string): ObjectAddress {
    const { resource, namespaced } = this.mapping;
    const subresource = name === undefined ? undefined : this.options.subresource;
    return { resource, namespace: namespaced ? namespace : "", name, subresource };
  }

  private read(request: RestRequest): RestRequest {
    const { accept = request.accept ?? "", query, typed = false } = this.options;
    return { ...request, query: { ...request.query, ...query }, accept, limitUntold: typed };
  }

  private async send(request: RestRequest): Promise<KubeObject> {
    const answer = await this.client.request({ ...request, signal: this.options.signal, sentBy: this.sentBy });
    const object: KubeObject = answer.json();
    if (this.options.typed !== true && (object.kind ?? "") === "") {
      throw new Error(`Object 'Kind' is missing in '${Buffer.from(answer.body).toString("utf8")}'`);
    }
    return object;
  }
}

function withoutVersion(object: KubeObject): KubeObject {
  const { resourceVersion, ...metadata } = object.metadata ?? {};
  return (resourceVersion ?? "") === "" ? object : { ...object, metadata };
}

async function* withInitialState(
  list: KubeObject,
  changes: AsyncIterable<WatchFrame>,
): AsyncGenerator<WatchFrame, void> {
  if (isList(list)) for (const object of list.items) yield { type: "ADDED", object };
  yield { type: "BOOKMARK", object: { metadata: { annotations: { "k8s.io/initial-events-end": "true" } } } };
  yield* changes;
}

async function* eachOf<T>(batches: AsyncIterable<readonly T[]>): AsyncGenerator<T, void> {
  for await (const batch of batches) for (const item of batch) yield item;
}
