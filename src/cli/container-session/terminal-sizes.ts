import type { TerminalSize } from "../../machinery/wire/streams/remote-command.js";
import type { Streams } from "../connect/factory.js";

/**
 * The sizes of the terminal behind stdout: the `first` ones at once, then a new one after each change until `stop`. A reader that is
 * slow gets only the newest.
 */
export class TerminalSizes implements AsyncIterable<TerminalSize> {
  readonly #out: Streams["out"];
  readonly #waiting: TerminalSize[];
  #stopped = false;
  #wake: () => void = () => undefined;
  readonly #resized = (): void => {
    const size = sizeOf(this.#out);
    if (size === undefined) return;
    this.#waiting.splice(0, this.#waiting.length, size);
    this.#wake();
  };

  constructor(out: Streams["out"], first: readonly TerminalSize[]) {
    this.#out = out;
    this.#waiting = [...first];
    out.on("resize", this.#resized);
  }

  stop(): void {
    this.#stopped = true;
    this.#out.off("resize", this.#resized);
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TerminalSize, void> {
    while (!this.#stopped) {
      const size = this.#waiting.shift();
      if (size !== undefined) yield size;
      else await new Promise<void>((wake) => (this.#wake = wake));
    }
  }
}

/** Undefined where stdout is no terminal. */
export function sizeOf({ isTTY, columns, rows }: Streams["out"]): TerminalSize | undefined {
  if (isTTY !== true || columns === undefined || rows === undefined) return undefined;
  return { width: columns, height: rows };
}
