/** The longest frame whose memory is used again: a full message of a remote command or a tunnel, and its head. */
const LARGEST_FRAME = 64 * 1024 + 64;
/** Frames of this length or more are worth it. */
const SMALLEST_FRAME = 4096;
/** What is sent at once by a writer that waits while 128 KiB are buffered. */
const MOST_SPARE = 8;

/**
 * Memory for the masked frames of one connection, used again once a frame is sent. Without it each byte that a client sends would be
 * garbage outside of V8's heap, which V8 collects only when there are tens of megabytes of it.
 */
export class FrameMemory {
  readonly #spare: Buffer[] = [];

  allocate(length: number): Buffer {
    if (length < SMALLEST_FRAME || length > LARGEST_FRAME) return Buffer.allocUnsafe(length);
    const memory = this.#spare.pop() ?? Buffer.allocUnsafeSlow(LARGEST_FRAME);
    return memory.subarray(0, length);
  }

  /** The frame is sent: its bytes are needed no more. */
  release(frame: Buffer): void {
    if (frame.buffer.byteLength !== LARGEST_FRAME || this.#spare.length >= MOST_SPARE) return;
    this.#spare.push(Buffer.from(frame.buffer));
  }
}
