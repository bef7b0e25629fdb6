import type { Random } from "../../base/random.js";
import type { Timers } from "../../base/timers.js";
import { outside } from "../../base/turns.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { createRestClient } from "../../client/rest/create-rest-client.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { retryTransient, WEBHOOK_BACKOFF } from "./retry-transient.js";
import type { WebhookAnswer, WebhookSurroundings } from "./webhook-client.js";

/** What one try may take, in milliseconds. */
const LONGEST_TRY = 30_000;

export interface PostOptions {
  /** The first pause between tries, in milliseconds. Default: kube-apiserver's. */
  readonly pause?: number | undefined;
  /** Ends the tries. */
  readonly signal?: AbortSignal | undefined;
}

/** A webhook that a kubeconfig names: at exactly the path of its server, with the credentials of its user. Connections are kept. */
export class KubeconfigWebhook {
  readonly #rest: RestClient;
  readonly #timers: Timers;

  /** Throws in client-go's words for certificates that are none. */
  constructor(
    config: ClientConfig,
    { clock, timers, env }: WebhookSurroundings,
    private readonly random: Random,
  ) {
    this.#timers = timers;
    this.#rest = createRestClient({ ...config, timeout: LONGEST_TRY }, { pooled: true, clock, env });
  }

  /**
   * Posts JSON, again after a failure that may pass. Rejects with a StatusError, a TransportError or an Error in client-go's words: what
   * the last try failed with.
   */
  async post(body: Uint8Array, { pause = WEBHOOK_BACKOFF.duration, signal }: PostOptions = {}): Promise<WebhookAnswer> {
    const backoff = { ...WEBHOOK_BACKOFF, duration: pause };
    const {
      status,
      headers,
      body: answer,
    } = await retryTransient(() => outside(this.#post(body, signal)), {
      backoff,
      timers: this.#timers,
      random: this.random,
      signal,
    });
    const type = headers["content-type"];
    return { status, contentType: typeof type === "string" ? type : "", body: answer };
  }

  /** Closes all connections, those of calls under way too. */
  close(): Promise<void> {
    return this.#rest.close();
  }

  #post(body: Uint8Array, signal: AbortSignal | undefined) {
    const path = hasPath(this.#rest.server) ? "" : "/";
    return this.#rest.request({ method: "POST", path, body, userPath: true, ...(signal && { signal }) });
  }
}

const hasPath = (server: string): boolean => /^[^:]+:\/\/[^/]+\/+[^/]/.test(server);
