import { setMaxListeners } from "node:events";
import { setTimeout } from "node:timers/promises";
import type { Clock } from "../../../base/clock.js";
import { ClosedError } from "../kv.js";
import { isPassing, unavailable } from "./failures.js";
import { type GrpcAddress, GrpcChannel, GrpcFailure, type GrpcStream } from "./grpc-channel.js";
import { type EtcdMethod, status, type WatchRequest, type WatchResponse, watch } from "./messages.js";

/** Before a second round over the endpoints; it doubles with each round. */
const FIRST_PAUSE = 50;
const LONGEST_PAUSE = 1000;

export interface EtcdClientOptions {
  readonly addresses: readonly GrpcAddress[];
  /** For one call with all its attempts. */
  readonly timeoutMilliseconds: number;
  /** Ends the attempts of a call. */
  readonly clock: Clock;
}

/** What one endpoint says of itself. */
export type EndpointStatus = ReturnType<typeof status.response.decode>;

/**
 * Calls to one etcd cluster. They go to one endpoint as long as it answers, then to the next. Each has a deadline.
 * Calls throw {@link GrpcFailure}, and {@link ClosedError} once the client was closed.
 */
export class EtcdClient {
  readonly #channels: readonly GrpcChannel[];
  #current = 0;
  readonly #closing = new AbortController();

  constructor(private readonly options: EtcdClientOptions) {
    this.#channels = options.addresses.map((address) => new GrpcChannel(address));
    // Every read in flight listens.
    setMaxListeners(0, this.#closing.signal);
  }

  /** Tries again, at other endpoints first, until the deadline: only for what may be done twice. */
  read<In, Out>(method: EtcdMethod<In, Out>, request: In, timeoutMilliseconds?: number): Promise<Out> {
    return this.#call(method, request, { timeoutMilliseconds, mayRetry: isPassing });
  }

  /** Tries again only as long as the request never left this process. Goes on while the client is being closed. */
  write<In, Out>(method: EtcdMethod<In, Out>, request: In): Promise<Out> {
    return this.#call(method, request, { mayRetry: ({ unsent }) => unsent, untilClosed: false });
  }

  /** As {@link read}, for a write that may be done twice. Goes on while the client is being closed. */
  repeat<In, Out>(method: EtcdMethod<In, Out>, request: In): Promise<Out> {
    return this.#call(method, request, { mayRetry: isPassing, untilClosed: false });
  }

  /** A watch stream at the present endpoint. `failed` makes the next one be opened elsewhere. */
  openWatch(): { stream: GrpcStream<WatchRequest, WatchResponse>; failed: () => void } {
    const channel = this.#channel();
    // etcd then ends the stream when its member loses the others, instead of falling silent.
    return { stream: channel.open(watch, { hasleader: "true" }), failed: () => this.#leave(channel) };
  }

  /** Of each endpoint, in order; undefined for one that does not answer in time. */
  statuses(timeoutMilliseconds: number): Promise<(EndpointStatus | undefined)[]> {
    const options = { timeoutMilliseconds, signal: this.#closing.signal };
    return Promise.all(this.#channels.map((channel) => channel.call(status, {}, options).catch(() => undefined)));
  }

  /** Ends reads and their waiting with {@link ClosedError}. */
  stopReads(): void {
    this.#closing.abort();
  }

  close(): void {
    this.stopReads();
    for (const channel of this.#channels) channel.close();
  }

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
    const signal = untilClosed ? this.#closing.signal : new AbortController().signal;
    const { clock } = this.options;
    const end = clock.now() + timeoutMilliseconds;
    // So that one endpoint that hangs leaves time for the others.
    const share = timeoutMilliseconds / this.#channels.length;
    for (let attempt = 1; ; attempt++) {
      const channel = this.#channel();
      try {
        return await channel.call(method, request, { timeoutMilliseconds: Math.min(end - clock.now(), share), signal });
      } catch (error) {
        if (signal.aborted) throw new ClosedError();
        if (!(error instanceof GrpcFailure)) throw error;
        if (isPassing(error)) this.#leave(channel);
        if (!mayRetry(error)) throw error;
        const round = Math.floor(attempt / this.#channels.length);
        const wait = attempt % this.#channels.length === 0 ? pauseBefore(round) : 0;
        if (clock.now() + wait >= end) throw error;
        // Somebody waits for the answer, so the process must not end meanwhile.
        await setTimeout(wait, undefined, { signal }).catch(() => {});
        if (signal.aborted) throw new ClosedError();
      }
    }
  }

  #channel(): GrpcChannel {
    const channel = this.#channels[this.#current];
    if (channel === undefined) throw new Error("etcd: no endpoint is given");
    return channel;
  }

  #leave(channel: GrpcChannel): void {
    if (this.#channels[this.#current] === channel) this.#current = (this.#current + 1) % this.#channels.length;
  }
}

/** The pause after so many failed rounds. */
export function pauseBefore(round: number): number {
  return Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** Math.min(round - 1, 10));
}

/** For callers of the store: a gRPC failure becomes what clients are told, everything else stays. */
export async function answered<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw error instanceof GrpcFailure ? unavailable(error) : error;
  }
}
