import type { ContainerMemory } from "../limits/memory-share.js";

/** How many lines are kept, and what one takes beside its text, in bytes. */
const MOST_LINES = 500;
const LINE_BYTES = 64;

/** The lines that were typed at a shell. They count against the container's memory. */
export class History {
  readonly #lines: string[] = [];

  constructor(private readonly memory: ContainerMemory) {}

  get length(): number {
    return this.#lines.length;
  }

  /** The oldest is at 0. */
  at(index: number): string | undefined {
    return this.#lines[index];
  }

  /** Keeps a line, unless it is blank or the same as the one before. */
  add(line: string): void {
    if (line.trim() === "" || line === this.#lines.at(-1)) return;
    this.memory.take(LINE_BYTES + line.length);
    this.#lines.push(line);
    if (this.#lines.length <= MOST_LINES) return;
    const oldest = this.#lines.shift();
    this.memory.give(LINE_BYTES + (oldest?.length ?? 0));
  }
}
