import type { Timers } from "../../base/time/timers.js";

export interface StreamSettings {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Whether errors go to `err` and the rest to `out`; else everything goes to `err`. */
  readonly splits: boolean;
  /** How many bytes of what goes to `out` may wait. */
  readonly bufferBytes: number;
  /** How long they may wait, in milliseconds. */
  readonly flushFrequency: number;
  /** Default: nothing waits. */
  readonly timers: Timers | undefined;
}

/** The streams of a log. */
export interface LogStreams {
  write(line: string, isError: boolean): void;
  /** Writes what waits. */
  close(): void;
}

/** Opens the one or two streams of a component's log. With two, the stream of messages that are not errors may be buffered. */
export function openLogStreams({ out, err, splits, ...settings }: StreamSettings): LogStreams {
  const { bufferBytes, flushFrequency, timers } = settings;
  if (!splits) return { write: err, close: () => {} };
  if (bufferBytes === 0 || timers === undefined) {
    return { write: (line, isError) => (isError ? err(line) : out(line)), close: () => {} };
  }
  const info = new BufferedStream(out, bufferBytes, (flush) => timers.start(flushFrequency, flush));
  return { write: (line, isError) => (isError ? err(line) : info.write(line)), close: () => info.flush() };
}

/** Lines that wait until they would be more than the buffer holds, or their time is up. */
class BufferedStream {
  #waiting: string[] = [];
  #bytes = 0;
  #cancel: (() => void) | undefined;

  constructor(
    private readonly out: (text: string) => void,
    private readonly limit: number,
    private readonly later: (flush: () => void) => () => void,
  ) {}

  /** A line is never cut: one that is longer than the buffer is written at once, behind those that wait. */
  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.#bytes + bytes > this.limit) this.flush();
    if (bytes > this.limit) return this.out(line);
    this.#waiting.push(line);
    this.#bytes += bytes;
    this.#cancel ??= this.later(() => this.flush());
  }

  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    if (this.#bytes === 0) return;
    const text = this.#waiting.join("");
    this.#waiting = [];
    this.#bytes = 0;
    this.out(text);
  }
}
