import type { CopyMessages } from "../../actions/copy/copy-messages.js";
import type { Clock } from "../../base/time/clock.js";
import type { Streams } from "../../cli/connect/factory.js";
import type { LiveLines } from "../../cli/terminal/live-lines.js";
import { writeOutput } from "../../cli/write-output.js";

/** Milliseconds between two changes of the progress. */
const PACE = 100;

/**
 * What a copy says: messages on stdout and stderr, and progress on stderr where that is a terminal. What the container's tar writes is text
 * there: control characters are shown.
 */
export class Messages implements CopyMessages {
  readonly #streams: Streams;
  readonly #clock: Clock;
  readonly #lines: LiveLines | undefined;
  #file = "";
  #files = 0;
  #shownAt = 0;

  constructor(streams: Streams, clock: Clock, lines: LiveLines | undefined) {
    this.#streams = streams;
    this.#clock = clock;
    this.#lines = lines;
  }

  out(text: string | Uint8Array): Promise<void> {
    return this.#write(this.#streams.out, text);
  }

  err(text: string | Uint8Array): Promise<void> {
    return this.#write(this.#streams.err, text);
  }

  /** Of a file: how many of its bytes are copied, of how many where that is known. */
  progress(path: string, done: number, size?: number): void {
    if (path !== this.#file) this.#files += 1;
    this.#file = path;
    const now = this.#clock.now();
    if (this.#lines === undefined || now - this.#shownAt < PACE) return;
    this.#shownAt = now;
    const before = this.#files === 1 ? "" : `${this.#files} files, `;
    this.#lines.set("Copying", `${before}${path} ${inBytes(done)}${size === undefined ? "" : ` of ${inBytes(size)}`}`);
  }

  end(): void {
    this.#lines?.end();
  }

  async #write(stream: Streams["out"], text: string | Uint8Array): Promise<void> {
    this.#lines?.clear();
    await writeOutput(stream, stream.isTTY === true && typeof text !== "string" ? Buffer.from(text).toString() : text);
  }
}

const UNITS = ["B", "KiB", "MiB", "GiB", "TiB"];

/** "12 B", "3.4 MiB". */
function inBytes(count: number): string {
  let value = count;
  let unit = 0;
  for (; value >= 1024 && unit < UNITS.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${UNITS[unit] ?? ""}`;
}
