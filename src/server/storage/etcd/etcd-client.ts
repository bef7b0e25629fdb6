import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../../base/time/clock.js";
import { ClosedError, type Freshness } from "../kv.js";
import { isPassing, unavailable } from "./failures.js";
import { type GrpcAddress, GrpcChannel, GrpcFailure, type GrpcStream } from "./grpc-channel.js";
import { type EtcdMethod, status, type WatchRequest, type WatchResponse, watch } from "./messages.js";
import type { Timers } from "../../../base/time/timers.js";
import { currentSpan, inPart } from "../../../machinery/tracing/request-span.js";

/** The pause before the second round over the endpoints. It doubles with each round. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1000;

export interface EtcdClientOptions {
  readonly addresses: readonly GrpcAddress[];
  /** The time limit of a call, including all its attempts. */
  readonly timeoutMilliseconds: number;
  /** Ends the attempts of a call. */
  readonly clock: Clock;
  /** Ends the client at once when it aborts: pending calls, writes too, throw {@link ClosedError}. */
  readonly signal?: AbortSignal | undefined;
}

/** An endpoint's answer to a status request. */
export type EndpointStatus = ReturnType<typeof status.response.decode>;

/**
 * Calls one etcd cluster. The client stays with an endpoint while it answers and moves on to the next when it fails. Every call
 * has a deadline. Calls throw {@link GrpcFailure}, and {@link ClosedError} after the client was closed.
 */
export class EtcdClient {
  readonly #channels: readonly GrpcChannel[];
  #current = 0;
  readonly #closing = new AbortController();
  /** Aborts writes. */
  readonly #ending = new AbortController();

  constructor(private readonly options: EtcdClientOptions) {
    this.#channels = options.addresses.map((address) => new GrpcChannel(address));
    // Every read in flight adds a listener.
    setMaxListeners(0, this.#closing.signal, this.#ending.signal);
    options.signal?.addEventListener("abort", this.#end, { once: true });
    if (options.signal?.aborted === true) this.#end();
  }

  /** Retries until the deadline, on other endpoints first. Only for idempotent calls. */
  read<In, Out>(method: EtcdMethod<In, Out>, request: In, timeoutMilliseconds?: number): Promise<Out> {
    return this.#call(method, request, { timeoutMilliseconds, mayRetry: isPassing });
  }

  /** Retries only while the request has not left this process. Closing the client does not interrupt it. */
  write<In, Out>(method: EtcdMethod<In, Out>, request: In): Promise<Out> {
    return this.#call(method, request, { mayRetry: ({ unsent }) => unsent, untilClosed: false });
  }

  /** As {@link read}, for an idempotent write. Closing the client does not interrupt it. */
  repeat<In, Out>(method: EtcdMethod<In, Out>, request: In): Promise<Out> {
    return this.#call(method, request, { mayRetry: isPassing, untilClosed: false });
  }

  /** Opens a watch stream at the current endpoint. Call `failed` to open the next one at another endpoint. */
  openWatch(): { stream: GrpcStream<WatchRequest, WatchResponse>; failed: () => void } {
    const channel = this.#channel();
    // With this header etcd ends the stream when its member loses the leader, instead of falling silent.
    return { stream: channel.open(watch, { hasleader: "true" }), failed: () => this.#leave(channel) };
  }

  /** Returns the status of each endpoint, in order; undefined for one that does not answer in time. */
  statuses(timeoutMilliseconds: number): Promise<(EndpointStatus | undefined)[]> {
    const options = { timeoutMilliseconds, signal: this.#closing.signal };
    return Promise.all(this.#channels.map((channel) => channel.call(status, {}, options).catch(() => undefined)));
  }

  /** Makes pending reads and their retries throw {@link ClosedError}. */
  stopReads(): void {
    this.#closing.abort();
  }

  close(): void {
    this.options.signal?.removeEventListener("abort", this.#end);
    this.stopReads();
    for (const channel of this.#channels) channel.close();
  }

  readonly #end = (): void => {
    this.stopReads();
    this.#ending.abort();
  };

  async #call<In, Out>(
    method: EtcdMethod<In, Out>,
    request: In,
    how: {
      readonly timeoutMilliseconds?: number | undefined;
      readonly mayRetry: (failure: GrpcFailure) => boolean;
      readonly untilClosed?: boolean;
    },
  ): Promise<Out> {
    const { timeoutMilliseconds = this.options.timeoutMilliseconds, mayRetry, untilClosed = true } = how;
    const signal = untilClosed ? this.#closing.signal : this.#ending.signal;
    const { clock } = this.options;
    const end = clock.now() + timeoutMilliseconds;
    // Gives each endpoint a share of the time, so that one that hangs leaves time for the others.
    const share = timeoutMilliseconds / this.#channels.length;
    for (let attempt = 1; ; attempt++) {
      const channel = this.#channel();
      try {
        const limits = { timeoutMilliseconds: Math.min(end - clock.now(), share), signal };
        return await callInPart(channel.address.target, method.path, (headers) =>
          channel.call(method, request, { ...limits, headers }),
        );
      } catch (error) {
        if (signal.aborted) throw new ClosedError();
        if (!(error instanceof GrpcFailure)) throw error;
        if (isPassing(error)) this.#leave(channel);
        if (!mayRetry(error)) throw error;
        const round = Math.floor(attempt / this.#channels.length);
        const wait = attempt % this.#channels.length === 0 ? pauseBefore(round) : 0;
        if (clock.now() + wait >= end) throw error;
        // A referenced timer: a caller waits for the answer, so the process must not end.
        await setTimeout(wait, undefined, { signal }).catch(() => {});
        if (signal.aborted) throw new ClosedError();
      }
    }
  }

  #channel(): GrpcChannel {
    const channel = this.#channels[this.#current];
    if (channel === undefined) throw new Error("etcd: no address is given");
    return channel;
  }

  #leave(channel: GrpcChannel): void {
    if (this.#channels[this.#current] === channel) this.#current = (this.#current + 1) % this.#channels.length;
  }
}

/** Calls etcd for the current request's trace, as a part of it. `path` is gRPC's: "/etcdserverpb.KV/Txn". */
function callInPart<T>(
  target: string,
  path: string,
  call: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  if (currentSpan() === undefined) return call({});
  const [, service = "", method = ""] = path.split("/");
  const colon = target.lastIndexOf(":");
  const fields = {
    "rpc.system": "grpc",
    "rpc.service": service,
    "rpc.method": method,
    "server.address": target.slice(0, colon).replace(/^\[|\]$/g, ""),
    "server.port": Number(target.slice(colon + 1)),
  };
  const work = async (): Promise<T> => {
    const span = currentSpan();
    try {
      const answer = await call(span?.headers ?? {});
      span?.add({ "rpc.grpc.status_code": 0 });
      return answer;
    } catch (error) {
      span?.failed(error);
      throw error;
    }
  };
  return inPart(`${service}/${method}`, () => fields, work, { kind: "client" });
}

/** The pause after this many failed rounds. */
export function pauseBefore(round: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(round - 1, 10));
}

/** Turns a {@link GrpcFailure} into the error that API clients get. Other errors pass through. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof GrpcFailure ? unavailable(error) : error;
  }
}

/**
 * Finds the revision up to which etcd is compacted, given a compacted one. The error of a range request does not contain it;
 * that of a watch does. Returns the lowest possible revision when etcd does not answer in time.
 */
export async function compactedRevision(
  client: EtcdClient,
  key: Uint8Array,
  requested: number,
  timeout: { readonly timers: Timers; readonly milliseconds: number },
): Promise<number> {
  const { stream } = client.openWatch();
  const giveUp = timeout.timers.start(timeout.milliseconds, () => stream.cancel());
  try {
    stream.send({ create: { key, startRevision: requested } });
    for await (const { canceled, compactRevision } of stream.messages) {
      if (compactRevision > 0) return compactRevision;
      if (canceled) break;
    }
  } catch {
    // The caller reports the compaction instead.
  } finally {
    giveUp();
    stream.cancel();
  }
  return requested + 1;
}

/**
 * "progress" when every endpoint answers progress requests correctly, as etcd does since 3.4.31 and 3.5.13. An endpoint that
 * did not report its version counts as an old one.
 */
export function freshnessOf(statuses: readonly (EndpointStatus | undefined)[]): Freshness {
  return statuses.every((one) => one !== undefined && isTruthful(one.version)) ? "progress" : "quorum";
}

function isTruthful(version: string): boolean {
  const [major = 0, minor = 0, patch = 0] = version.split(/[.-]/, 3).map(Number);
  if (major !== 3) return major > 3;
  if (minor === 4) return patch >= 31;
  if (minor === 5) return patch >= 13;
  return minor > 5;
}
