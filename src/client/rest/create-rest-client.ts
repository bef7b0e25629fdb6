import { join } from "node:path";
import { errorMessage } from "../../base/text/error-message.js";
import type { Random } from "../../base/numbers/random.js";
import { decodeJson } from "../../machinery/wire/json/json-decoder.js";
import { isJsonObject, type JsonObject } from "../../machinery/meta/json.js";
import {
  type Authenticator,
  type AuthenticatorOptions,
  createAuthenticator,
  type Credentials,
} from "../auth/authenticator.js";
import type { ClientConfig } from "../config/client-config.js";
import { type Surroundings, surroundingsOf } from "../surroundings.js";
import { createTransport } from "../transport/create-transport.js";
import type { ProcessHosts } from "../transport/dial.js";
import { goNetworkReason } from "../transport/go-network-error.js";
import type { HttpCache } from "../transport/http-cache.js";
import { type PulseTimes, pulseTimes } from "../transport/peer-pulse.js";
import type { Transport, TransportRequest, TransportResponse } from "../transport/transport.js";
import { isTransportError, TransportError } from "../transport/transport-error.js";
import type { ConnectingRestClient } from "./connecting-rest-client.js";
import { drain, readAll, TIMED_OUT_READING, untilEnd } from "./answer-body.js";
import { encodePath, encodeQuery } from "./encode-query.js";
import { goDurationText } from "./go-duration-text.js";
import type { RequestLog } from "./request-log.js";
import { responseError } from "./response-error.js";
import { LOST, RequestLifetime } from "./request-lifetime.js";
import type { RestClient, RestRequest, RestResponse } from "./rest-client.js";
import { SharedLine } from "./shared-line.js";
import { warningTexts } from "./warning-headers.js";
import { withoutTrailing } from "../../base/text/without-trailing.js";

export interface RestClientOptions extends AuthenticatorOptions, Partial<Surroundings> {
  /** Hosts that are reached in this process, in place of the machine's network. */
  readonly hosts?: ProcessHosts | undefined;
  /** Replaces the transport made for the config: an in-process server, or a recording of one. */
  readonly transport?: Transport;
  /** Uses a connection pool for many requests, which takes longer to start, and other connections for any number of streams. */
  readonly pooled?: boolean;
  /** Headers of every request: Kubectl-Command, Kubectl-Session. Lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called with the reason when the body of an answer breaks off. The request then fails with it. */
  readonly onBrokenBody?: (reason: string) => void;
  /** Logs every request and answer. */
  readonly log?: RequestLog | undefined;
  /** Ends requests that do not outlive it: reads at once, writes under way when they are not answered in {@link GRACE_OF_WRITES}. */
  readonly ending?: AbortSignal | undefined;
  /** Waits between retries. */
  readonly sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

const MAX_RETRIES = 10;
const MAX_REDIRECTS = 10;
/** An informer holds a connection as long as it runs. */
const MAX_STREAMS = 1024;

/**
 * Creates a client, which connects on the first request. Throws when the config's certificates or ways of authentication
 * cannot be used.
 */
export function createRestClient(config: ClientConfig, options: RestClientOptions = {}): RestClient {
  return new HttpRestClient(config, options);
}

/**
 * Makes the requests of clients that bring their own transport: it adds the config's credentials and the path of its server.
 * Watches have connections of their own. Throws as {@link createRestClient} does.
 */
export function serverTransport(config: ClientConfig, options: Omit<RestClientOptions, "transport"> = {}): Transport {
  const client = new HttpRestClient(config, { ...options, pooled: true });
  return {
    send: (request) => client.send(request),
    reach: async (signal) => client.reach(signal),
    renew: () => client.renew(),
    close: () => client.close(),
  };
}

class HttpRestClient implements ConnectingRestClient {
  readonly server: string;
  readonly random: Random;
  onWarning: ((text: string) => void) | undefined;
  readonly #authenticate: Authenticator;
  readonly #pathPrefix: string;
  readonly #origin: string;
  #transport: Transport;
  #streams: Transport;
  #certificate: Credentials["certificate"];
  #cache: HttpCache | undefined;
  readonly surroundings: Surroundings;
  readonly #pulse: PulseTimes | undefined;
  #line: SharedLine | undefined;

  constructor(
    readonly config: ClientConfig,
    readonly options: RestClientOptions,
  ) {
    this.server = config.server;
    const [, origin = config.server, prefix = ""] = /^([^:]+:\/\/[^/]+)(.*)$/.exec(config.server) ?? [];
    this.#origin = origin;
    this.#pathPrefix = withoutTrailing(prefix, "/");
    this.surroundings = surroundingsOf(options);
    this.random = this.surroundings.random;
    this.#pulse = pulseTimes(this.surroundings.env);
    this.#authenticate = createAuthenticator(config, this.surroundings, options);
    this.#transport = options.transport ?? this.#connection(config);
    this.#streams = this.#streamConnection(config);
  }

  /** Sends the request of another client with this client's credentials. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    const path = this.#pathPrefix + request.path;
    const credentials = await this.credentials({ method: request.method, url: this.#origin + path });
    const headers = { ...request.headers, ...credentials.headers };
    const repeatedHeaders = { ...request.repeatedHeaders, ...credentials.repeatedHeaders };
    const transport = LASTING_PATH.test(path) ? this.#streams : this.#transport;
    const answer = await transport.send({ ...request, path, headers, repeatedHeaders });
    if (answer.status === 401) credentials.refused();
    return answer;
  }

  /** As {@link Transport.reach}. */
  async reach(signal: AbortSignal): Promise<void> {
    await this.#transport.reach?.(signal);
  }

  /** As {@link Transport.renew}. */
  renew(): void {
    this.#transport.renew?.();
  }

  async request(request: RestRequest): Promise<RestResponse> {
    this.options.log?.requestBody(request);
    const timeout = this.#lifetime(request, false);
    try {
      const answer = await this.#exchange(request, timeout, { streaming: false, lasting: false });
      const body = await this.#bodyOf(answer, timeout);
      this.options.log?.responseBody(request, body);
      this.#accept(request, answer, body);
      return { status: answer.status, headers: answer.headers, body, json: () => decode(body) };
    } finally {
      timeout.end();
    }
  }

  async stream(
    request: RestRequest,
  ): Promise<{ readonly contentType: string; readonly body: AsyncIterable<Uint8Array> }> {
    this.options.log?.requestBody(request);
    const lasting = isLasting(request);
    const timeout = this.#lifetime(request, lasting);
    try {
      const answer = await this.#exchange(request, timeout, { streaming: true, lasting });
      if (!isSuccess(answer.status)) {
        const body = await this.#bodyOf(answer, timeout);
        this.options.log?.responseBody(request, body);
        this.#accept(request, answer, body);
      }
      this.#warn(answer);
      const body = untilEnd(answer.body, timeout, lasting ? this.#sharedLine() : undefined);
      return { contentType: contentTypeOf(answer), body: this.options.log?.stream(request, body) ?? body };
    } catch (error) {
      timeout.end();
      throw error;
    }
  }

  /** A stream over HTTP/2 has a connection that finds out by itself when the line is dead. */
  #lifetime(request: RestRequest, lasting: boolean): RequestLifetime {
    const limit = this.config.timeout === 0 ? (request.timeout ?? 0) : this.config.timeout;
    const { reach } = this.#transport;
    const ending = request.outlives === true ? undefined : this.options.ending;
    const watched = !lasting || this.options.pooled === true;
    const onLost = (): void => this.#transport.renew?.();
    return new RequestLifetime(request, { limit, ending, ...(watched && { pulse: this.#pulse, reach, onLost }) });
  }

  #sharedLine(): SharedLine | undefined {
    const { reach } = this.#transport;
    if (this.options.pooled !== true || this.#pulse === undefined || reach === undefined) return undefined;
    return (this.#line ??= new SharedLine(this.#pulse, reach));
  }

  async close(): Promise<void> {
    await Promise.all([this.#transport.close(), this.#streams.close()]);
  }

  /**
   * Sends a request and retries it: after 429 and 5xx with Retry-After, and reads that are no streams also after a broken
   * connection.
   */
  async #exchange(request: RestRequest, timeout: RequestLifetime, way: Way): Promise<TransportResponse> {
    const retryBroken = request.method === "GET" && !way.streaming;
    const sleep = this.options.sleep ?? defaultSleep;
    for (let attempt = 1; ; attempt++) {
      let wait: number | undefined;
      let answer: TransportResponse | undefined;
      try {
        answer = await this.#follow(request, timeout, way);
        wait = answer.status === 429 || answer.status >= 500 ? retryAfterOf(answer) : undefined;
        if (wait === undefined || attempt > MAX_RETRIES) return answer;
        await drain(answer);
      } catch (error) {
        if (!retryBroken || attempt > MAX_RETRIES || !isBroken(error)) throw error;
        wait = 1;
      }
      await sleep(wait * 1000, timeout.signal);
      this.options.log?.retry(this.#origin + this.#pathOf(request), wait, attempt);
    }
  }

  async #follow(request: RestRequest, timeout: RequestLifetime, way: Way): Promise<TransportResponse> {
    let path = this.#pathOf(request);
    for (let hops = 0; ; hops++) {
      const answer = await this.#once(request, path, timeout, way);
      const location = redirectOf(request, answer);
      if (location === undefined) return answer;
      if (hops + 1 === MAX_REDIRECTS) {
        throw new TransportError("stopped after 10 redirects", { method: request.method, url: this.#origin + path });
      }
      await drain(answer);
      const next = new URL(location, this.#origin + path);
      path = next.pathname + next.search;
      if (next.origin === new URL(this.#origin).origin) continue;
      return this.#elsewhere(request, next, timeout);
    }
  }

  #pathOf(request: RestRequest): string {
    return this.#pathPrefix + encodePath(request.path) + encodeQuery(this.#queryOf(request));
  }

  /** Follows a redirect to another host, without the credentials. */
  async #elsewhere(request: RestRequest, url: URL, timeout: RequestLifetime): Promise<TransportResponse> {
    const config = { server: url.origin, tls: { insecureSkipVerify: false } };
    const { hosts } = this.options;
    const transport = createTransport(config, { ...this.surroundings, ...(hosts && { hosts }) });
    const { authorization: _, ...headers } = this.#headersOf(request);
    return transport.send({
      method: request.method,
      path: url.pathname + url.search,
      headers,
      ...(timeout.signal && { signal: timeout.signal }),
    });
  }

  async #once(request: RestRequest, path: string, timeout: RequestLifetime, way: Way): Promise<TransportResponse> {
    const { method, body } = request;
    const where = { method, url: this.#origin + path };
    const credentials = await this.credentials(where);
    const { signal } = timeout;
    const outgoing: TransportRequest = {
      method,
      path,
      headers: { ...this.#headersOf(request), ...credentials.headers },
      repeatedHeaders: credentials.repeatedHeaders,
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    };
    try {
      const answer = await (await this.#transportFor(request, where.url, way)).send(outgoing);
      if (answer.status === 401) credentials.refused();
      return answer;
    } catch (error) {
      if (timeout.lost !== undefined) throw lostError(timeout.lost, where, way);
      if (!timeout.isLate) throw error;
      throw new TransportError("net/http: request canceled (Client.Timeout exceeded while awaiting headers)", where);
    }
  }

  async #transportFor(request: RestRequest, url: string, { lasting }: Way): Promise<Transport> {
    const transport = lasting ? this.#streams : this.#transport;
    let carrier = transport;
    if (request.httpCache && this.config.cacheDir !== "") {
      const cache = await this.#httpCache();
      carrier = { send: (outgoing) => cache.send(transport, outgoing, url), close: () => transport.close() };
    }
    return this.options.log?.around(carrier, this.#origin) ?? carrier;
  }

  async credentials(where: { method: string; url: string }): Promise<Credentials> {
    let credentials: Credentials;
    try {
      credentials = await this.#authenticate();
    } catch (error) {
      const message = errorMessage(error);
      throw new TransportError(`getting credentials: ${message}`, { ...where, cause: error });
    }
    const { certificate } = credentials;
    if (certificate && certificate !== this.#certificate && !this.options.transport) {
      const stale = [this.#transport, this.#streams];
      const config = { ...this.config, tls: { ...this.config.tls, ...certificate } };
      this.#certificate = certificate;
      this.#transport = this.#connection(config);
      this.#streams = this.#streamConnection(config);
      await Promise.all(stale.map((transport) => transport.close()));
    }
    return credentials;
  }

  #connection(config: ClientConfig): Transport {
    const { pooled = false, hosts } = this.options;
    return createTransport(config, { ...this.surroundings, pooled, ...(hosts && { hosts }) });
  }

  /**
   * Streams that may be silent for hours have connections of their own. A command's are HTTP/2 where the server has it, which finds out
   * when the line is dead. A client with many of them reads them by HTTP/1.1: see {@link SharedLine}.
   */
  #streamConnection(config: ClientConfig): Transport {
    if (this.options.transport !== undefined) return this.#transport;
    const { pooled, hosts } = this.options;
    const lasting = pooled !== true;
    return createTransport(config, {
      ...this.surroundings,
      lasting,
      maxSockets: MAX_STREAMS,
      ...(hosts && { hosts }),
    });
  }

  async #httpCache(): Promise<HttpCache> {
    if (!this.#cache) {
      const { HttpCache } = await import("../transport/http-cache.js");
      const { clock, random } = this.surroundings;
      this.#cache = new HttpCache(join(this.config.cacheDir, "http"), clock, random);
    }
    return this.#cache;
  }

  #headersOf({ accept, contentType, body, headers }: RestRequest): Record<string, string> {
    return {
      "user-agent": this.config.userAgent,
      accept: accept ?? "application/json, */*",
      ...(body !== undefined && contentType !== "" && { "content-type": contentType ?? "application/json" }),
      ...this.options.headers,
      ...headers,
      ...(!this.config.disableCompression && { "accept-encoding": "gzip" }),
    };
  }

  #queryOf(request: RestRequest): RestRequest["query"] {
    const { timeout } = this.config;
    return timeout !== 0 && request.limitUntold !== true
      ? { ...request.query, timeout: goDurationText(timeout) }
      : request.query;
  }

  async #bodyOf({ body }: TransportResponse, timeout: RequestLifetime): Promise<Uint8Array> {
    try {
      return await readAll(body);
    } catch (error) {
      if (!timeout.isLate && timeout.lost === undefined && !isTransportError(error)) throw error;
      const why = timeout.lost ? LOST : timeout.isLate ? TIMED_OUT_READING : (error as Error).message;
      this.options.onBrokenBody?.(why);
      throw new Error(`unexpected error when reading response body. Please retry. Original error: ${why}`, {
        cause: error,
      });
    }
  }

  #accept(request: RestRequest, answer: TransportResponse, body: Uint8Array): void {
    this.#warn(answer);
    if (isSuccess(answer.status)) return;
    const retryAfter = retryAfterOf(answer);
    const error = responseError(request, {
      status: answer.status,
      contentType: contentTypeOf(answer),
      body,
      ...(retryAfter !== undefined && { retryAfter }),
    });
    this.options.log?.failure(request, error);
    throw error;
  }

  #warn(answer: TransportResponse): void {
    if (!this.onWarning) return;
    for (const text of warningTexts(answer.headers["warning"])) this.onWarning(text);
  }
}

/** As client-go, which has sent a read once more and says of both attempts. */
function lostError(cause: Error, where: { method: string; url: string }, { streaming }: Way): TransportError {
  if (where.method !== "GET" || streaming) return new TransportError(LOST, { ...where, cause });
  const { message } = new TransportError(goNetworkReason(cause), where);
  return new TransportError(`${message} - error from a previous attempt: ${LOST}`, { cause });
}

/** How a request is sent. */
interface Way {
  readonly streaming: boolean;
  readonly lasting: boolean;
}

/** The path of what {@link isLasting} knows by its query. */
const LASTING_PATH = /[?&](?:watch|follow)=(?:true|1)(?:&|$)/;

/** A watch, or a log that is followed: the server answers on until it or the client ends the request. */
function isLasting({ query }: RestRequest): boolean {
  const isTrue = (value: unknown): boolean => value === "true" || value === "1";
  return isTrue(query?.["watch"]) || isTrue(query?.["follow"]);
}

function decode(body: Uint8Array): JsonObject {
  const { value } = decodeJson(body);
  if (!isJsonObject(value)) throw new Error("the server's answer is not a JSON object");
  return value;
}

function isSuccess(status: number): boolean {
  return (status >= 200 && status <= 206) || status === 101;
}

function redirectOf({ method }: RestRequest, { status, headers }: TransportResponse): string | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || method !== "GET") return undefined;
  const { location } = headers;
  return typeof location === "string" ? location : undefined;
}

function retryAfterOf({ headers }: TransportResponse): number | undefined {
  const value = headers["retry-after"];
  return typeof value === "string" && /^[+-]?\d+$/.test(value) ? Number(value) : undefined;
}

function contentTypeOf({ headers }: TransportResponse): string {
  const value = headers["content-type"];
  return typeof value === "string" ? value : (value?.[0] ?? "");
}

/** True when an existing connection broke, as when a server restarts. */
function isBroken(error: unknown): boolean {
  return isTransportError(error) && (error.reason.endsWith("connection reset by peer") || error.reason === "EOF");
}

async function defaultSleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { setTimeout: sleepFor } = await import("node:timers/promises");
  await sleepFor(milliseconds, undefined, signal && { signal });
}
