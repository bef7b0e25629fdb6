import type { Clock } from "../../base/clock.js";
import type { LogEntry, RuntimeLogOptions } from "../container-runtime.js";

const LINE_FEED = 10;
/** A longer line is cut into entries, as runtimes cut it. */
const LONGEST_LINE = 16 * 1024;
/** The oldest entries go when a log is longer, as with a rotated file. */
const MOST_BYTES = 10 * 1024 * 1024;
/** What an entry counts beside its bytes. */
const ENTRY_BYTES = 64;

/** What a container wrote, line by line, with the time of each. */
export class ContainerLog {
  #entries: LogEntry[] = [];
  /** How many entries were dropped from the front. */
  #dropped = 0;
  #bytes = 0;
  #ended = false;
  #lastTime = 0n;
  readonly #partial = { stdout: [] as Uint8Array[], stderr: [] as Uint8Array[] };
  #wakers: (() => void)[] = [];

  constructor(private readonly clock: Clock) {}

  get bytes(): number {
    return this.#bytes;
  }

  write(stream: "stdout" | "stderr", chunk: Uint8Array): void {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      this.#finishLine(stream, chunk.subarray(start, end + 1));
      start = end + 1;
    }
    if (start < chunk.length) this.#partial[stream].push(Buffer.copyBytesFrom(chunk, start));
    const waiting = this.#partial[stream].reduce((sum, { length }) => sum + length, 0);
    if (waiting >= LONGEST_LINE) this.#finishLine(stream, EMPTY);
    this.#wake();
  }

  /** The container has ended. */
  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      if (this.#partial[stream].length > 0) this.#finishLine(stream, EMPTY);
    }
    this.#ended = true;
    this.#wake();
  }

  async *read({
    tailLines,
    since,
    follow,
    stream,
    signal,
  }: RuntimeLogOptions): AsyncGenerator<LogEntry, void, undefined> {
    let next = this.#dropped + (tailLines === undefined ? 0 : Math.max(0, this.#entries.length - tailLines));
    for (;;) {
      while (next < this.#dropped + this.#entries.length) {
        if (signal.aborted) return;
        next = Math.max(next, this.#dropped);
        const entry = this.#entries[next - this.#dropped];
        next += 1;
        if (entry === undefined || (stream !== undefined && entry.stream !== stream)) continue;
        if (since !== undefined && entry.time < BigInt(Math.floor(since)) * 1_000_000n) continue;
        yield entry;
      }
      if (!follow || this.#ended || signal.aborted) return;
      await this.#more(signal);
    }
  }

  #finishLine(stream: "stdout" | "stderr", rest: Uint8Array): void {
    const line = Buffer.concat([...this.#partial[stream], rest]);
    this.#partial[stream] = [];
    // Times of entries differ: a clock of milliseconds is made finer by their order.
    const now = BigInt(Math.floor(this.clock.now())) * 1_000_000n;
    this.#lastTime = now > this.#lastTime ? now : this.#lastTime + 1n;
    this.#entries.push({ time: this.#lastTime, stream, line });
    this.#bytes += line.length + ENTRY_BYTES;
    if (this.#bytes > MOST_BYTES) this.#rotate();
  }

  #rotate(): void {
    let kept = this.#bytes;
    let count = 0;
    while (kept > MOST_BYTES / 2) {
      kept -= (this.#entries[count]?.line.length ?? 0) + ENTRY_BYTES;
      count += 1;
    }
    this.#entries = this.#entries.slice(count);
    this.#dropped += count;
    this.#bytes = kept;
  }

  #more(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener("abort", wake);
        resolve();
      };
      signal.addEventListener("abort", wake, { once: true });
      this.#wakers.push(wake);
    });
  }

  #wake(): void {
    const waiting = this.#wakers;
    this.#wakers = [];
    for (const wake of waiting) wake();
  }
}

const EMPTY = new Uint8Array();
