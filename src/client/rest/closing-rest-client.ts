import type { Random } from "../../base/numbers/random.js";
import type { RestClient, RestRequest, RestResponse } from "./rest-client.js";

const BRAND = Symbol.for("kubets.ClientClosedError");

/** The client was closed before the request was answered, while the watch ran, or before the call. */
export class ClientClosedError extends Error {
  override readonly name = "ClientClosedError";
  readonly [BRAND] = true;
  constructor() {
    super("the client is closed");
  }
}

export function isClientClosed(error: unknown): error is ClientClosedError {
  return typeof error === "object" && error !== null && BRAND in error;
}

/**
 * Makes a client closable: close() rejects its pending requests, streams and waits with a {@link ClientClosedError}, and every
 * later request. A stream that close() interrupts never ends as if the server had ended it.
 */
export class ClosingRestClient implements RestClient {
  readonly #client: RestClient;
  readonly #underWay = new Set<AbortController>();
  #closing: Promise<void> | undefined;

  constructor(client: RestClient) {
    this.#client = client;
  }

  get wrapped(): RestClient {
    return this.#client;
  }

  get server(): string {
    return this.#client.server;
  }

  get random(): Random | undefined {
    return this.#client.random;
  }

  get onWarning(): RestClient["onWarning"] {
    return this.#client.onWarning;
  }

  set onWarning(listener: RestClient["onWarning"]) {
    this.#client.onWarning = listener;
  }

  async request(request: RestRequest): Promise<RestResponse> {
    const call = this.#begin(request);
    try {
      return await this.#client.request(call.request);
    } catch (error) {
      throw this.#reason(error);
    } finally {
      call.end();
    }
  }

  async stream(request: RestRequest): ReturnType<RestClient["stream"]> {
    const call = this.#begin(request);
    try {
      const { contentType, body } = await this.#client.stream(call.request);
      return { contentType, body: this.#untilClosed(body, call.end) };
    } catch (error) {
      call.end();
      throw this.#reason(error);
    }
  }

  /** Resolves when the connections are closed. Idempotent. */
  close(): Promise<void> {
    if (this.#closing === undefined) {
      const error = new ClientClosedError();
      this.#closing = this.#client.close();
      for (const call of this.#underWay) call.abort(error);
    }
    return this.#closing;
  }

  #begin(request: RestRequest): { readonly request: RestRequest; readonly end: () => void } {
    if (this.#closing !== undefined) throw new ClientClosedError();
    const call = new AbortController();
    const { signal } = request;
    const abort = (): void => call.abort(signal?.reason);
    if (signal?.aborted) abort();
    else signal?.addEventListener("abort", abort, { once: true });
    this.#underWay.add(call);
    const end = (): void => {
      this.#underWay.delete(call);
      signal?.removeEventListener("abort", abort);
    };
    return { request: { ...request, signal: call.signal }, end };
  }

  async *#untilClosed(body: AsyncIterable<Uint8Array>, end: () => void): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
      if (this.#closing !== undefined) throw new ClientClosedError();
    } catch (error) {
      throw this.#reason(error);
    } finally {
      end();
    }
  }

  /** Transports have words of their own for a connection that their close() ends. */
  #reason(error: unknown): unknown {
    return this.#closing === undefined || isClientClosed(error) ? error : new ClientClosedError();
  }
}
