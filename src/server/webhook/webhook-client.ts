import type { Clock } from "../../base/time/clock.js";
import { errorMessage } from "../../base/text/error-message.js";
import type { Timers } from "../../base/time/timers.js";
import { outside } from "../../base/async/turns.js";
import type { ClientConfig } from "../../client/config/client-config.js";
import { createRestClient } from "../../client/rest/create-rest-client.js";
import { goDurationText } from "../../client/rest/go-duration-text.js";
import type { Environment } from "../../client/surroundings.js";
import { createTransport } from "../../client/transport/create-transport.js";
import type { EgressDialers, ProcessHosts } from "../../client/transport/dial.js";
import { NetworkFailure } from "../../client/transport/go-network-error.js";
import { CallDeadline } from "./call-deadline.js";
import type { LocateService } from "./service-address.js";
import { serverNameOf, type WebhookTarget } from "./webhook-target.js";
import type { Transport } from "../../client/transport/transport.js";
import { TransportError } from "../../client/transport/transport-error.js";
import type { RestClient } from "../../client/rest/rest-client.js";
import { sendInPart } from "../../machinery/tracing/request-span.js";

/** The parts of the process that calls of webhooks use. */
export interface WebhookSurroundings {
  /** The certificates of webhooks are checked at its time. */
  readonly clock: Clock;
  /** Pauses between tries. */
  readonly timers: Timers;
  /** Proxies, and the files of the system's authorities. */
  readonly env: Environment;
  readonly locate: LocateService;
  /** Hosts of this process, which no webhook's address leads past. Left out: there are none. */
  readonly hosts?: ProcessHosts | undefined;
  /** Connects to webhooks on other hosts. */
  readonly egress?: EgressDialers | undefined;
  /** Calls of one webhook that are under way at once; more wait for one to end. Default 100. */
  readonly connections?: number;
}

export interface CallOptions {
  /** How long the webhook may take, in milliseconds. It learns the limit in whole seconds. Left out: {@link LONGEST_CALL}. */
  readonly timeout?: number | undefined;
  /** Ends the call. */
  readonly signal?: AbortSignal | undefined;
}

/** A 2xx answer. */
export interface WebhookAnswer {
  readonly status: number;
  /** "" where the answer names none. */
  readonly contentType: string;
  readonly body: Uint8Array;
}

/** How long any call of a webhook may take, in milliseconds; client-go's limit for its clients of webhooks. */
const LONGEST_CALL = 30_000;
/** The default limit of connections to one webhook. */
export const CONNECTIONS = 100;

/**
 * Calls one webhook. Connections are kept and reused. A redirect is not followed: it is an error, as any answer but 2xx. An answer longer
 * than a limit is not read to its end. A 429 or 5xx with Retry-After is tried again while there is time.
 */
export class WebhookClient {
  readonly #client: RetiringClient;

  /** Throws in client-go's words for a CA bundle that is none. */
  constructor(
    private readonly target: WebhookTarget,
    surroundings: WebhookSurroundings,
  ) {
    const { clock, locate, connections = CONNECTIONS } = surroundings;
    const { service } = target;
    const env = isInCluster(target) ? withoutProxies(surroundings.env) : surroundings.env;
    const config = configOf(target);
    const transport = createTransport(config, {
      clock,
      env,
      maxSockets: connections,
      hosts: hostsFor(target, surroundings),
      ...(service !== undefined && { locate: () => locate(service).catch(unreachable) }),
    });
    const rest = createRestClient(config, { clock, env, transport: webhookTransport(transport, target.origin) });
    this.#client = new RetiringClient(rest);
  }

  /** Posts JSON. Rejects with a StatusError, a TransportError or an Error in client-go's words. */
  async post(body: Uint8Array, { timeout, signal }: CallOptions = {}): Promise<WebhookAnswer> {
    const { origin, path } = this.target;
    const deadline = new CallDeadline(timeout, signal);
    const query = {
      timeout: goDurationText(timeout === undefined ? LONGEST_CALL : Math.ceil(timeout / 1000) * 1000),
    };
    const { signal: ending } = deadline;
    const call = { method: "POST", path, query, body, timeout: LONGEST_CALL, userPath: true, signal: ending };
    try {
      const {
        status,
        headers,
        body: answer,
      } = await sendInPart("POST", `${origin}${path}`, (trace) =>
        this.#client.call((rest) => outside(rest.request({ ...call, headers: trace }))),
      );
      const type = headers["content-type"];
      return { status, contentType: typeof type === "string" ? type : "", body: answer };
    } catch (error) {
      throw deadline.explained(error);
    } finally {
      deadline.clear();
    }
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

function configOf({ origin, caBundle, service }: WebhookTarget): ClientConfig {
  return {
    server: origin,
    tls: {
      insecureSkipVerify: false,
      ...(caBundle !== undefined && { caData: caBundle }),
      ...(service !== undefined && { serverName: serverNameOf(service) }),
    },
    auth: {},
    disableCompression: false,
    timeout: 0,
    userAgent: "kube-apiserver-admission",
    namespace: "",
    namespaceEnforced: false,
    cacheDir: "",
  };
}

/** A service, or a url that names one: no proxy outside of the cluster knows it. */
function isInCluster({ origin, service }: WebhookTarget): boolean {
  return service !== undefined || /^https?:\/\/[^/:]+\.svc(\.cluster\.local)?\.?(:\d+)?$/i.test(origin);
}

/** The hosts of the process, and what connects to all others. The server reaches itself without a proxy, as kube-apiserver does. */
function hostsFor(
  { origin, service }: WebhookTarget,
  { hosts, egress }: WebhookSurroundings,
): ProcessHosts | undefined {
  const dialer = service === undefined ? egress?.controlplane : egress?.cluster;
  if (dialer === undefined || /^https:\/\/kubernetes\.default\.svc(:443)?$/.test(origin)) return hosts;
  return { dial: () => undefined, ...hosts, egress: dialer };
}

function withoutProxies(env: Environment): Environment {
  return { ...env, HTTPS_PROXY: "", https_proxy: "", HTTP_PROXY: "", http_proxy: "" };
}

function unreachable(error: unknown): never {
  throw new NetworkFailure(errorMessage(error));
}

/**
 * What an answer may have, in bytes, beside twice the request: as much as a request to the server may have. Some webhooks send
 * the request back, and conversions answer as many objects as they were asked for.
 */
const BEYOND_THE_REQUEST = 3 * 1024 * 1024;

/**
 * A transport whose answers end in an error beyond a limit: the rest of such an answer is not read. A call that is aborted fails
 * with its signal's reason, as one of Go fails with the error of its context.
 */
function webhookTransport(transport: Transport, origin: string): Transport {
  return {
    async send(request) {
      const { method, path, body, signal } = request;
      try {
        const answer = await transport.send(request);
        const limit = BEYOND_THE_REQUEST + 2 * (body?.byteLength ?? 0);
        return { ...answer, body: upTo(limit, answer.body, signal) };
      } catch (error) {
        throw signal?.aborted === true ? ended(signal, { method, url: origin + path }) : error;
      }
    },
    close: () => transport.close(),
  };
}

async function* upTo(
  limit: number,
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  let read = 0;
  try {
    for await (const chunk of body) {
      read += chunk.byteLength;
      if (read > limit) throw new TransportError(`the answer is longer than ${limit} bytes`);
      yield chunk;
    }
  } catch (error) {
    throw signal?.aborted === true ? ended(signal, {}) : error;
  }
}

function ended(signal: AbortSignal, call: { readonly method?: string; readonly url?: string }): TransportError {
  const reason: unknown = signal.reason;
  return new TransportError(errorMessage(reason), call);
}

/** The connections of one webhook, which can be closed after the pending calls. */
export class RetiringClient {
  #underWay = 0;
  #retired = false;

  constructor(private readonly rest: RestClient) {}

  /** Calls the webhook. */
  async call<T>(use: (rest: RestClient) => Promise<T>): Promise<T> {
    this.#underWay += 1;
    try {
      return await use(this.rest);
    } finally {
      this.#underWay -= 1;
      if (this.#retired && this.#underWay === 0) void this.rest.close();
    }
  }

  /** Closes the connections once the calls under way have ended. */
  retire(): void {
    this.#retired = true;
    if (this.#underWay === 0) void this.rest.close();
  }

  /** Closes all connections, those of calls under way too. */
  close(): Promise<void> {
    return this.rest.close();
  }
}
