import type { Readable } from "node:stream";

/**
 * Yields the bytes of stdin, and reads only as fast as they are consumed. `stop` ends the reading without closing stdin, also while a read
 * waits for a key. Input that can no longer be read, such as that of a closed terminal, counts as ended.
 */
export class StandardInput implements AsyncIterable<Uint8Array> {
  readonly #input: Readable;
  #over = false;
  #wake: () => void = () => undefined;

  constructor(input: Readable) {
    this.#input = input;
  }

  stop(): void {
    this.#over = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    const input = this.#input;
    const ready = (): void => this.#wake();
    const ended = (): void => this.stop();
    if (input.readableEnded || input.destroyed) return;
    input.on("readable", ready).on("end", ended).on("error", ended).on("close", ended);
    try {
      while (!this.#over) {
        const chunk = input.read() as Buffer | string | null;
        if (chunk !== null) yield typeof chunk === "string" ? Buffer.from(chunk) : chunk;
        else if (!this.#over) await new Promise<void>((wake) => (this.#wake = wake));
      }
    } finally {
      input.off("readable", ready).off("end", ended).off("error", ended).off("close", ended);
      input.pause();
    }
  }
}
