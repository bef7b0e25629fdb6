import type { Clock } from "../../base/time/clock.js";
import type { LogEntry, RuntimeLogOptions } from "../container-runtime.js";

const LINE_FEED = 10;
/** A longer line is cut into entries, as runtimes cut it. */
const LONGEST_LINE = 16 * 1024;
/** The oldest entries go when a log is longer, as with a rotated file. */
const MOST_BYTES = 10 * 1024 * 1024;
/** What an entry takes beside its bytes. */
const ENTRY_BYTES = 256;
/** The longest logs of a process are shortened when all of them together are longer than this, to this part of it. */
const MOST_BYTES_OF_ALL = 128 * 1024 * 1024;
const KEPT_PART = 0.75;

/** The logs of several containers, which share one process. */
class LogSpace {
  readonly #logs = new Set<ContainerLog>();
  #bytes = 0;

  add(log: ContainerLog, bytes: number): void {
    this.#logs.add(log);
    this.#bytes += bytes;
    if (this.#bytes <= MOST_BYTES_OF_ALL) return;
    for (const longest of [...this.#logs].sort((a, b) => b.bytes - a.bytes)) {
      longest.shorten();
      if (this.#bytes <= MOST_BYTES_OF_ALL * KEPT_PART) return;
    }
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }

  remove(log: ContainerLog): void {
    if (this.#logs.delete(log)) this.#bytes -= log.bytes;
  }
}

const processLogs = new LogSpace();

/** The output of a container, line by line, with the time of each. */
export class ContainerLog {
  #entries: LogEntry[] = [];
  /** How many entries were dropped from the front. */
  #dropped = 0;
  #bytes = 0;
  #ended = false;
  #lastTime = 0n;
  #isDropped = false;
  readonly #partial = { stdout: new Partial(), stderr: new Partial() };
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
    const partial = this.#partial[stream];
    while (start < chunk.length) {
      start += partial.add(chunk.subarray(start));
      if (partial.isFull) this.#finishLine(stream, EMPTY);
    }
    this.#wake();
  }

  /** The container has ended. */
  end(): void {
    for (const stream of ["stdout", "stderr"] as const) {
      if (!this.#partial[stream].isEmpty) this.#finishLine(stream, EMPTY);
    }
    this.#ended = true;
    this.#wake();
  }

  /** Nobody reads it any more. */
  drop(): void {
    this.#isDropped = true;
    processLogs.remove(this);
  }

  /** Half of it goes, the oldest lines. */
  shorten(): void {
    this.#rotate(this.#bytes / 2);
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
    const line = this.#partial[stream].takeWith(rest);
    // Times of entries differ: a clock of milliseconds is made finer by their order.
    const now = BigInt(Math.floor(this.clock.now())) * 1_000_000n;
    this.#lastTime = now > this.#lastTime ? now : this.#lastTime + 1n;
    this.#entries.push({ time: this.#lastTime, stream, line });
    this.#bytes += line.length + ENTRY_BYTES;
    if (this.#bytes > MOST_BYTES) this.#rotate(MOST_BYTES / 2);
    if (!this.#isDropped) processLogs.add(this, line.length + ENTRY_BYTES);
  }

  #rotate(most: number): void {
    let kept = this.#bytes;
    let count = 0;
    while (kept > most && count < this.#entries.length) {
      kept -= (this.#entries[count]?.line.length ?? 0) + ENTRY_BYTES;
      count += 1;
    }
    this.#entries = this.#entries.slice(count);
    this.#dropped += count;
    if (!this.#isDropped) processLogs.give(this.#bytes - kept);
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

/** A line whose end has not come. */
class Partial {
  #bytes: Buffer = Buffer.alloc(0);
  #used = 0;

  get isEmpty(): boolean {
    return this.#used === 0;
  }

  get isFull(): boolean {
    return this.#used >= LONGEST_LINE;
  }

  /** Adds what fits; answers how many bytes that is. */
  add(bytes: Uint8Array): number {
    const added = Math.min(bytes.length, LONGEST_LINE - this.#used);
    if (this.#used + added > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(
        Math.min(LONGEST_LINE, Math.max(2 * this.#bytes.length, this.#used + added)),
      );
      this.#bytes.copy(grown, 0, 0, this.#used);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes.subarray(0, added), this.#used);
    this.#used += added;
    return added;
  }

  /** The line as far as it has come, with `rest` behind it. */
  takeWith(rest: Uint8Array): Buffer {
    const line = Buffer.concat([this.#bytes.subarray(0, this.#used), rest]);
    this.#bytes = Buffer.alloc(0);
    this.#used = 0;
    return line;
  }
}
