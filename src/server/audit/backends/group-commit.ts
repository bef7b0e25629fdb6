import type { LineSink } from "./log-backend.js";

interface Waiting {
  readonly lines: readonly string[];
  resolve(): void;
  reject(error: unknown): void;
}

/** Writes the lines, in their order. Rejects where they are not all written. */
export type WriteLines = (lines: readonly string[]) => Promise<void>;

/** Joins the lines that arrive during a write into the next write. */
export class GroupCommit implements LineSink {
  #waiting: Waiting[] = [];
  #running: Promise<void> | undefined;

  constructor(
    private readonly writeAll: WriteLines,
    private readonly closeAll: () => Promise<void>,
  ) {}

  write(lines: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ lines, resolve, reject });
      this.#running ??= this.#drain();
    });
  }

  async close(): Promise<void> {
    await this.#running;
    await this.closeAll();
  }

  async #drain(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.writeAll(group.flatMap(({ lines }) => lines));
        for (const { resolve } of group) resolve();
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    this.#running = undefined;
  }
}
