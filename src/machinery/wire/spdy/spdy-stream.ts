import type { ByteStream, IncomingStream } from "../streams/byte-stream.js";
import { ChunkPipe } from "../streams/chunk-pipe.js";
import type { Headers } from "./header-block.js";
import { Fifo } from "../../../base/collections/fifo.js";

/** The initial window of a stream and of the connection. */
export const INITIAL_WINDOW = 64 * 1024;

/**
 * The flow control windows that this end grants its peer, for each stream and for the connection: several streams that nobody
 * reads do not block the others.
 */
export const OWN_WINDOW = { stream: 4 * 1024 * 1024, connection: 16 * 1024 * 1024 } as const;

/** Bytes that the reader has taken before the peer gets them back as window. */
const UPDATE_BYTES = INITIAL_WINDOW / 2;

/**
 * The window of one stream, or of the connection, towards a peer with flow control. Kubernetes' peers have none: they never send
 * WINDOW_UPDATE or SETTINGS, and drop both. A peer that sends one of them has; until then windows are only counted.
 */
export class Window {
  #sent = 0;
  #granted = 0;
  #taken = 0;
  #waiting: (() => void)[] = [];

  /** Bytes that may be sent. */
  available(initial: number): number {
    return initial + this.#granted - this.#sent;
  }

  send(bytes: number): void {
    this.#sent += bytes;
  }

  /** The peer has enlarged the window. False when it is larger than the protocol allows. */
  grant(bytes: number, initial: number): boolean {
    this.#granted += bytes;
    this.wake();
    return this.available(initial) < 2 ** 31;
  }

  /** Resolves when the window may have changed. */
  changed(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /** Counts what the reader took. Returns the bytes to give back to the peer now: 0 for none. */
  take(bytes: number): number {
    this.#taken += bytes;
    if (this.#taken < UPDATE_BYTES) return 0;
    const back = this.#taken;
    this.#taken = 0;
    return back;
  }
}

/** The longest DATA frame that is sent: other streams have their turn between two of them. */
const LARGEST_DATA = 64 * 1024;

/** The part of a connection that its streams use. */
export interface StreamCarrier {
  /** Sends a DATA frame. Resolves when more may be sent. */
  sendData(stream: SpdyStream, data: Uint8Array, fin: boolean): Promise<void>;
  sendReset(stream: SpdyStream): void;
  /** Resolves with how many bytes, at most `wanted`, the peer lets the stream send. */
  grant(stream: SpdyStream, wanted: number): Promise<number>;
  /** The reader has taken bytes. */
  taken(stream: SpdyStream, bytes: number, chunks: number): void;
  /** Both directions are over. */
  forget(stream: SpdyStream): void;
}

/** One stream of a SPDY connection. */
export class SpdyStream implements ByteStream {
  readonly window = new Window();
  readonly #pipe: ChunkPipe;
  #finished = false;
  #broken: Error | undefined;

  constructor(
    readonly id: number,
    readonly headers: Headers,
    private readonly carrier: StreamCarrier,
  ) {
    this.#pipe = new ChunkPipe((bytes, chunks) => carrier.taken(this, bytes, chunks));
  }

  /** True when nothing can be written any more. */
  get finished(): boolean {
    return this.#finished || this.#broken !== undefined;
  }

  async write(chunk: Uint8Array): Promise<void> {
    for (let from = 0; from < chunk.length; ) {
      this.#checkWritable();
      const length = await this.carrier.grant(this, Math.min(LARGEST_DATA, chunk.length - from));
      this.#checkWritable();
      await this.carrier.sendData(this, chunk.subarray(from, from + length), false);
      from += length;
    }
    this.#checkWritable();
  }

  async end(): Promise<void> {
    if (this.finished) return;
    this.#finished = true;
    try {
      await this.carrier.sendData(this, new Uint8Array(), true);
    } catch {
      // The connection is over, and the reader gets to know why.
    }
    if (this.#pipe.ended) this.carrier.forget(this);
  }

  destroy(error?: Error): void {
    const over = this.#pipe.ended && this.finished;
    this.#pipe.abandon(error);
    this.#broken ??= error ?? new Error("the stream was destroyed");
    if (!over) this.carrier.sendReset(this);
    this.carrier.forget(this);
    this.window.wake();
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    return this.#pipe[Symbol.asyncIterator]();
  }

  /** Bytes have arrived. True when they wait for the reader. */
  receive(data: Uint8Array): boolean {
    return this.#pipe.push(data);
  }

  /** The peer has finished writing. */
  finishReading(): void {
    this.#pipe.end();
    if (this.finished) this.carrier.forget(this);
  }

  /** The peer has reset the stream, or the connection is over. Servers end their streams so: with `error`, it is no such end. */
  abort(reason: Error, error?: Error): void {
    this.#broken ??= reason;
    this.#pipe.end(error);
    this.carrier.forget(this);
    this.window.wake();
  }

  #checkWritable(): void {
    if (this.#broken !== undefined) throw this.#broken;
    if (this.#finished) throw new Error("the stream was ended");
  }
}

/** The streams that a peer has opened, until the reader takes them. */
export class IncomingStreams implements AsyncIterable<IncomingStream> {
  readonly #streams = new Fifo<IncomingStream>();
  #ended = false;
  #wake: (() => void) | undefined;

  /** How many have not been taken. */
  get waiting(): number {
    return this.#streams.length;
  }

  push(stream: IncomingStream): void {
    this.#streams.push(stream);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<IncomingStream> {
    for (;;) {
      const stream = this.#streams.shift();
      if (stream !== undefined) yield stream;
      else if (this.#ended) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
