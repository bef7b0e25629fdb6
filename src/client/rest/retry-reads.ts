import { isTransportError } from "../transport/transport-error.js";
import type { RestClient, RestRequest } from "./rest-client.js";

export interface RetryOptions {
  /** How many times in a row the server may fail to be reached before that is an error. */
  readonly retries: number;
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
  /** Told before each wait: what went wrong, how often in a row, and how many milliseconds it waits. */
  readonly tell: (error: Error, attempt: number, wait: number) => void;
}

const FIRST_WAIT = 500;
const LONGEST_WAIT = 30_000;

/**
 * Asks again where a GET found no server: after half a second, then after twice as long each time. A watch or a log is asked for
 * again only until it begins. Writes are sent once, whatever happens: whether one that got no answer was done is not known. Once
 * `retries` are used up without an answer in between, nothing more is tried again.
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

/** Nobody answered, which may be otherwise soon; a certificate that is not trusted will not be. */
function wasNotReached(error: unknown): error is Error {
  const reason = isTransportError(error) ? error.reason : causeOf(error);
  return reason !== undefined && PASSING.some((part) => reason.includes(part));
}

/** An answer that broke off in the middle. */
function causeOf(error: unknown): string | undefined {
  return error instanceof Error && isTransportError(error.cause) ? error.cause.reason : undefined;
}
