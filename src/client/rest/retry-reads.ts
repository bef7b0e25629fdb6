import { isTransportError } from "../transport/transport-error.js";
import type { RestClient, RestRequest } from "./rest-client.js";

export interface RetryOptions {
  /** How many consecutive failures to reach the server are retried. */
  readonly retries: number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Called before each wait with the error, the number of consecutive failures and the wait in milliseconds. */
  readonly tell: (error: Error, attempt: number, wait: number) => void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

/**
 * Retries GETs that do not reach the server, after half a second and then after twice as long each time. A watch or log is
 * retried only until it begins. Writes are not retried, because one without an answer may have been done. After `retries`
 * consecutive failures the client fails at once.
 */
export function retryReads(client: RestClient, options: RetryOptions): RestClient {
  return new RetryingClient(client, options);
}

class RetryingClient implements RestClient {
  readonly #client: RestClient;
  readonly #options: RetryOptions;
  #failures = 0;

  constructor(client: RestClient, options: RetryOptions) {
    this.#client = client;
    this.#options = options;
  }

  get wrapped(): RestClient {
    return this.#client;
  }

  get server(): string {
    return this.#client.server;
  }

  get onWarning(): RestClient["onWarning"] {
    return this.#client.onWarning;
  }

  set onWarning(listener: RestClient["onWarning"]) {
    this.#client.onWarning = listener;
  }

  request(request: RestRequest): ReturnType<RestClient["request"]> {
    return this.#asking(request, () => this.#client.request(request));
  }

  stream(request: RestRequest): ReturnType<RestClient["stream"]> {
    return this.#asking(request, () => this.#client.stream(request));
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #asking<T>({ method, signal }: RestRequest, ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const answer = await ask();
        this.#failures = 0;
        return answer;
      } catch (error) {
        if (!wasNotReached(error)) {
          this.#failures = 0;
          throw error;
        }
        if (method !== "GET" || signal?.aborted || this.#failures >= this.#options.retries) throw error;
        this.#failures += 1;
        const wait = Math.min(FIRST_WAIT * 2 ** (this.#failures - 1), LONGEST_WAIT);
        this.#options.tell(error, this.#failures, wait);
        await this.#options.sleep(wait, signal);
      }
    }
  }
}

const PASSING = [
  "connection refused",
  "connection reset by peer",
  "broken pipe",
  "EOF",
  "i/o timeout",
  "TLS handshake timeout",
  "Client.Timeout exceeded",
  "no route to host",
  "network is unreachable",
  "host is down",
  "no such host",
  "server misbehaving",
];

/** True when the server did not answer and a retry may succeed. A retry does not help against an untrusted certificate. */
function wasNotReached(error: unknown): error is Error {
  const reason = isTransportError(error) ? error.reason : causeOf(error);
  return reason !== undefined && PASSING.some((part) => reason.includes(part));
}

/** The reason why an answer broke off. */
function causeOf(error: unknown): string | undefined {
  return error instanceof Error && isTransportError(error.cause) ? error.cause.reason : undefined;
}
