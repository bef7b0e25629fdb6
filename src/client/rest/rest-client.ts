import type { Random } from "../../base/numbers/random.js";
import type { JsonObject } from "../../machinery/meta/json.js";
import type { SentBy } from "./request-source.js";

/**
 * Sends requests to one API server. It handles authentication, User-Agent, impersonation, Retry-After and Status errors. A
 * non-2xx answer throws the StatusError in its body, or one made from the code as client-go makes it. Without an answer it
 * throws a TransportError in Go's words.
 */
export interface RestClient {
  /** "https://127.0.0.1:6443", as errors show it. */
  readonly server: string;
  /** Varies how long watches last, so that they do not all end together. Absent: all last equally long. */
  readonly random?: Random | undefined;
  /** Sends a request and reads the whole answer. */
  request(request: RestRequest): Promise<RestResponse>;
  /** Sends a request and streams the answer: watch, log, --raw. The caller reads to the end or aborts `signal`. */
  stream(request: RestRequest): Promise<{ readonly contentType: string; readonly body: AsyncIterable<Uint8Array> }>;
  /** Called for each `Warning:` header, in order, before the caller gets the answer. */
  onWarning?: ((text: string) => void) | undefined;
  /** Told why a watch that began with the existing objects has failed, before it is opened again. */
  onBrokenWatch?: ((message: string) => void) | undefined;
  /** The client that this one adds to. */
  readonly wrapped?: RestClient | undefined;
  close(): Promise<void>;
}

export interface RestRequest {
  /** "GET", "POST", ... */
  readonly method: string;
  /** Absolute, without a query. */
  readonly path: string;
  /** Sent sorted by name, as Go sends it. Undefined values are left out. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Default: JSON preferred, any other type accepted. */
  readonly accept?: string;
  /** The Content-Type of the body. Default "application/json"; "" sends none. */
  readonly contentType?: string;
  readonly body?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** The time limit of the exchange in milliseconds where the config sets none. It is not sent to the server. */
  readonly timeout?: number;
  /** Does not send the config's time limit to the server, as Go's typed clients do not for lists and watches. */
  readonly limitUntold?: boolean;
  /** Errors derive no resource from the path: the user typed it (--raw), or client-go sends it unchanged (AbsPath). */
  readonly userPath?: boolean;
  /** A fresh entry of the HTTP cache in the cache folder may answer this GET (discovery, OpenAPI). */
  readonly httpCache?: boolean;
  /** Cleans up: the end of the client's command does not end it. */
  readonly outlives?: boolean;
  /** The client that the log names. Default: the one that the path or the body implies, else the resource helper. */
  readonly sentBy?: SentBy | undefined;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** Decodes the body, with integers beyond 2^53 as bigint. Throws when it is no JSON object. */
  json(): JsonObject;
}

/** Returns a client for cleaning up: its requests are not aborted at the end of the command. */
export function outliving(client: RestClient): RestClient {
  return {
    server: client.server,
    random: client.random,
    request: (request) => client.request({ ...request, outlives: true }),
    stream: (request) => client.stream({ ...request, outlives: true }),
    wrapped: client,
    close: () => client.close(),
  };
}
