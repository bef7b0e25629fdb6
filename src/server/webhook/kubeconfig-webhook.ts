import type { Random } from "../../base/numbers/random.js";
import type { Timers } from "../../base/time/timers.js";
import { outside } from "../../base/async/turns.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { createTransport } from "../../client/transport/create-transport.js";
import { createRestClient } from "../../client/rest/create-rest-client.js";
import type { RestClient, RestResponse } from "../../client/rest/rest-client.js";
import type { RetryBackoff } from "../../client/retry/retry-on-conflict.js";
import { RetiringClient } from "./retiring-client.js";
import { retryTransient, WEBHOOK_BACKOFF } from "./retry-transient.js";
import { CONNECTIONS, type WebhookSurroundings } from "./webhook-client.js";

/** What one try may take, in milliseconds; client-go's limit for kubeconfigs, which can name none. */
const LONGEST_TRY = 30_000;

export interface KubeconfigWebhookOptions extends Pick<WebhookSurroundings, "clock" | "timers" | "env" | "hosts"> {
  /** Varies the pauses between tries. */
  readonly random: Random;
  /** What one try may take, in milliseconds. Default: 30 seconds. */
  readonly timeout?: number;
  /** The pauses between tries. Default: kube-apiserver's. */
  readonly backoff?: RetryBackoff | undefined;
}

export interface PostOptions {
  /** The first pause between tries, in milliseconds. Default: that of the webhook. */
  readonly pause?: number | undefined;
  /** Ends the tries. */
  readonly signal?: AbortSignal | undefined;
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

  /** Throws in client-go's words for certificates that are none. */
  constructor(config: ClientConfig, options: KubeconfigWebhookOptions) {
    const { clock, timers, env, hosts, random, timeout = LONGEST_TRY, backoff = WEBHOOK_BACKOFF } = options;
    this.#timers = timers;
    this.#random = random;
    this.#backoff = backoff;
    const client = { ...config, timeout, userAgent: "kube-apiserver" };
    // What is pooled knows of no hosts of the process.
    const transport = hosts && { transport: createTransport(client, { clock, env, hosts, maxSockets: CONNECTIONS }) };
    this.#client = new RetiringClient(createRestClient(client, { pooled: true, clock, env, ...transport }));
  }

  /**
   * Posts JSON, again after a failure that may pass. Rejects with a StatusError, a TransportError or an Error in client-go's words: what
   * the last try failed with.
   */
  post(body: Uint8Array, { pause = this.#backoff.duration, signal }: PostOptions = {}): Promise<RestResponse> {
    const options = {
      backoff: { ...this.#backoff, duration: pause },
      timers: this.#timers,
      random: this.#random,
      signal,
    };
    return this.#client.call((rest) => retryTransient(() => outside(post(rest, body, signal)), options));
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
  return rest.request({ method: "POST", path, body, userPath: true, ...(signal && { signal }) });
}

const hasPath = (server: string): boolean => /^[^:]+:\/\/[^/]+\/+[^/]/.test(server);
