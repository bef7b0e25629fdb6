import type { JsonObject } from "../../machinery/meta/json.js";
import type { SentBy } from "./request-source.js";

/**
 * Requests to one API server: authentication, User-Agent, impersonation, retry-after and Status errors are its business.
 * A non-2xx answer throws the StatusError its body holds (or one made as client-go makes it from the code);
 * no answer at all throws a TransportError with Go's wording.
 */
export interface RestClient {
  /** "https://127.0.0.1:6443", as errors show it. */
  readonly server: string;
  /** The whole answer. */
  request(request: RestRequest): Promise<RestResponse>;
  /** The answer as it arrives: watch, log, --raw. The caller reads to the end or aborts `signal`. */
  stream(request: RestRequest): Promise<{ readonly contentType: string; readonly body: AsyncIterable<Uint8Array> }>;
  /** Called for each `Warning:` header, in order, before the answer is given to the caller. */
  onWarning?: ((text: string) => void) | undefined;
  close(): Promise<void>;
}

export interface RestRequest {
  /** "GET", "POST", ... */
  readonly method: string;
  /** Absolute, without a query. */
  readonly path: string;
  /** Sent sorted by name, as Go sends it; undefined values are left out. */
  readonly query?: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** Default: JSON, else anything. */
  readonly accept?: string;
  /** Of the body; default "application/json", "" sends none. */
  readonly contentType?: string;
  readonly body?: Uint8Array | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole exchange where the configuration sets none; not told to the server. */
  readonly timeout?: number;
  /** The server is not told of the configuration's time limit: Go's typed clients keep it to themselves in lists and watches. */
  readonly limitUntold?: boolean;
  /** Errors name no resource after the path: the user gave it (--raw), or client-go takes it as it is (AbsPath). */
  readonly userPath?: boolean;
  /** Of a GET: what the HTTP cache below the cache folder still holds may answer it (discovery, OpenAPI). */
  readonly httpCache?: boolean;
  /** Only the log shows it. Default: what the path and the body say, else the resource helper. */
  readonly sentBy?: SentBy | undefined;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: Uint8Array;
  /** The body decoded once, integers beyond 2^53 as bigint. Throws when it is not a JSON object. */
  json(): JsonObject;
}
