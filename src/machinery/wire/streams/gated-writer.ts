import type { Writable } from "node:stream";

/** A writer waits while more bytes than this are buffered. */
const HIGH_WATER_BYTES = 128 * 1024;

const WRITTEN = Promise.resolve();

/** Writes of several writers to one stream, each of which waits while too much is buffered. */
export class GatedWriter {
  #drained: Promise<void> | undefined;
  /** Bytes written since the event loop had its turn. */
  #burst = 0;

  constructor(private readonly stream: Writable) {
    // The stream's owner listens to errors.
    stream.setMaxListeners(0);
  }

  /** Bytes that the stream has not sent yet. */
  get buffered(): number {
    return this.stream.writableLength;
  }

  /**
   * Writes the parts together. Resolves when more may be written; rejects when the stream is closed. `sent` is called once the stream needs
   * the memory of the parts no more.
   */
  write(parts: readonly Uint8Array[], sent?: () => void): Promise<void> {
    const { stream } = this;
    // A stream that has failed is destroyed only later.
    if (stream.errored || stream.destroyed || stream.writableEnded) return Promise.reject(closed(stream));
    stream.cork();
    for (const [index, part] of parts.entries()) {
      stream.write(part, index === parts.length - 1 ? sent : undefined);
      this.#burst += part.length;
    }
    stream.uncork();
    if (stream.writableLength >= HIGH_WATER_BYTES) return this.drained();
    if (this.#burst < HIGH_WATER_BYTES) return WRITTEN;
    // A writer whose peer reads as fast as it writes would leave the process no other turn.
    this.#burst = 0;
    return new Promise((resolve) => setImmediate(resolve));
  }

  /** Resolves when nothing is buffered any more; rejects when the stream is closed before. */
  drained(): Promise<void> {
    const { stream } = this;
    if (stream.errored || stream.destroyed) return Promise.reject(closed(stream));
    if (!stream.writableNeedDrain) return WRITTEN;
    return (this.#drained ??= this.#nextDrain().finally(() => (this.#drained = undefined)));
  }

  #nextDrain(): Promise<void> {
    const { stream } = this;
    return new Promise((resolve, reject) => {
      const settle = (error?: Error): void => {
        stream.off("drain", onDrain).off("close", onClose);
        if (error === undefined) resolve();
        else reject(error);
      };
      const onDrain = (): void => settle();
      const onClose = (): void => settle(closed(stream));
      stream.on("drain", onDrain).on("close", onClose);
    });
  }
}

const closed = ({ errored }: Writable): Error => errored ?? new Error("the connection is closed");
