import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { outside } from "../../base/async/turns.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { createTransport } from "../../client/transport/create-transport.js";
import { createRestClient } from "../../client/rest/create-rest-client.js";
import type { RestClient, RestResponse } from "../../client/rest/rest-client.js";
import type { RetryBackoff } from "../../client/retry/retry-on-conflict.js";
import { RetiringClient, CONNECTIONS, type WebhookSurroundings } from "./webhook-client.js";
import { pause } from "../../base/time/pause.js";
import { randomBelow } from "../../base/numbers/random-below.js";
import { isTransportError } from "../../client/transport/transport-error.js";
import { isStatusError } from "../../machinery/errors/status-error.js";
import { sendInPart } from "../../machinery/tracing/request-span.js";

export interface RetryOptions {
  readonly backoff: RetryBackoff;
  readonly timers: Timers;
  readonly random: Random;
  /** Ends the tries: the last failure is thrown. */
  readonly signal: AbortSignal | undefined;
  readonly isTransient: (error: unknown) => boolean;
}

/** What one try may take, in milliseconds; client-go's limit for kubeconfigs, which can name none. */
const LONGEST_TRY = 30_000;

export interface KubeconfigWebhookOptions extends Pick<WebhookSurroundings, "clock" | "timers" | "env" | "hosts"> {
  /** Varies the pauses between tries. */
  readonly random: Random;
  /** What one try may take, in milliseconds. Default: 30 seconds. */
  readonly timeout?: number;
  /** Default "kube-apiserver". */
  readonly userAgent?: string | undefined;
  /** The pauses between tries. Default: kube-apiserver's. */
  readonly backoff?: RetryBackoff | undefined;
  /** Whether a failure may pass, so that the call is tried again. Default: kube-apiserver's for questions about requests. */
  readonly isTransient?: ((error: unknown) => boolean) | undefined;
}

export interface PostOptions {
  /** The first pause between tries, in milliseconds. Default: that of the webhook. */
  readonly pause?: number | undefined;
  /** Ends the tries. */
  readonly signal?: AbortSignal | undefined;
  /** When it aborts, the try under way is the last one, and goes on. */
  readonly retriesUntil?: AbortSignal | undefined;
  /** Runs each try. */
  readonly around?: ((send: () => Promise<RestResponse>) => Promise<RestResponse>) | undefined;
}

/**
 * A webhook that a kubeconfig names: at exactly the path of its server, with the credentials of its user and never those of whom a
 * request is about. Connections are kept.
 */
export class KubeconfigWebhook {
  readonly #client: RetiringClient;
  readonly #timers: Timers;
  readonly #random: Random;
  readonly #backoff: RetryBackoff;
  readonly #isTransient: (error: unknown) => boolean;

  /** Throws in client-go's words for certificates that are none. */
  constructor(config: ClientConfig, options: KubeconfigWebhookOptions) {
    const { clock, timers, env, hosts, random, timeout = LONGEST_TRY, backoff = WEBHOOK_BACKOFF } = options;
    const { userAgent = "kube-apiserver" } = options;
    this.#timers = timers;
    this.#random = random;
    this.#backoff = backoff;
    this.#isTransient = options.isTransient ?? isTransient;
    const client = { ...config, timeout, userAgent };
    // What is pooled knows of no hosts of the process.
    const transport = hosts && { transport: createTransport(client, { clock, env, hosts, maxSockets: CONNECTIONS }) };
    this.#client = new RetiringClient(createRestClient(client, { pooled: true, clock, env, ...transport }));
  }

  /**
   * Posts JSON, again after a failure that may pass. Rejects with a StatusError, a TransportError or an Error in client-go's words: what
   * the last try failed with.
   */
  post(
    body: Uint8Array,
    { pause = this.#backoff.duration, signal, retriesUntil = signal, around = (send) => send() }: PostOptions = {},
  ): Promise<RestResponse> {
    const options = {
      backoff: { ...this.#backoff, duration: pause },
      timers: this.#timers,
      random: this.#random,
      signal: retriesUntil,
      isTransient: this.#isTransient,
    };
    return this.#client.call((rest) => retryTransient(() => around(() => outside(post(rest, body, signal))), options));
  }

  /** Closes the connections once the calls under way have ended. */
  retire(): void {
    this.#client.retire();
  }

  /** Closes all connections, those of calls under way too. */
  close(): Promise<void> {
    return this.#client.close();
  }
}

function post(rest: RestClient, body: Uint8Array, signal: AbortSignal | undefined): Promise<RestResponse> {
  const path = hasPath(rest.server) ? "" : "/";
  return sendInPart("POST", rest.server, (headers) =>
    rest.request({ method: "POST", path, body, headers, userPath: true, ...(signal && { signal }) }),
  );
}

const hasPath = (server: string): boolean => /^[^:]+:\/\/[^/]+\/+[^/]/.test(server);

/** kube-apiserver's for webhooks of authentication and authorization, in milliseconds. */
const WEBHOOK_BACKOFF: RetryBackoff = { steps: 5, duration: 500, factor: 1.5, jitter: 0.2 };

const JITTER_STEPS = 2 ** 20;

/** Calls a webhook again while it fails in a way that may pass. Throws what the last try failed with. */
async function retryTransient<T>(call: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { backoff, timers, random, signal, isTransient: mayPass } = options;
  const isOver = (): boolean => signal?.aborted === true;
  for (let step = 1; ; step += 1) {
    try {
      return await call();
    } catch (error) {
      if (!mayPass(error) || step >= backoff.steps || isOver()) throw error;
      const jitter = (backoff.jitter * randomBelow(random, JITTER_STEPS)) / JITTER_STEPS;
      await pause(timers, backoff.duration * backoff.factor ** (step - 1) * (1 + jitter), signal);
      if (isOver()) throw error;
    }
  }
}

const TRANSIENT: ReadonlySet<string> = new Set(["InternalError", "Timeout", "TooManyRequests", "ServerTimeout"]);

/** A connection that was reset, a server's own failure, or an answer that says when to come again. */
function isTransient(error: unknown): boolean {
  if (isTransportError(error)) return /connection reset by peer|http2: client connection lost/.test(error.reason);
  if (!isStatusError(error)) return false;
  const { reason = "", code, details } = error.status;
  return TRANSIENT.has(reason) || code === 429 || (details?.retryAfterSeconds ?? 0) > 0;
}
