import type { BytePipe } from "../../byte-pipe.js";
import type { ContainerMemory } from "../limits/memory-share.js";
import type { OutputTarget } from "../program.js";

/** Where a command of a shell reads and writes. */
export interface ShellStreams {
  /** True once what the output goes to takes no more; commands that follow do not begin. */
  readonly isBroken?: () => boolean;
  readonly stdin: BytePipe | undefined;
  readonly stdout: OutputTarget;
  readonly stderr: OutputTarget;
}

/** What a subshell has a copy of. */
export interface ShellState {
  readonly variables: Variables;
  readonly exported: Set<string>;
  positional: readonly string[];
  cwd: string;
  status: number;
  exitsOnError: boolean;
}

/** What a variable takes beside its name and value, in bytes. */
const VARIABLE_BYTES = 96;
/** V8 copies a part of a text that is shorter; a longer one keeps the whole text in memory. */
const SHORTEST_PART = 13;

/** The text without what it was cut out of. */
export const detached = (text: string): string => (text.length < SHORTEST_PART ? text : ` ${text}`.slice(1));

/** The variables of a shell. What is assigned in it counts against the container's memory. */
export class Variables {
  readonly #values: Map<string, string>;
  /** What was taken for the variables that were assigned here; those of the parent are its own. */
  readonly #taken = new Map<string, number>();

  constructor(
    values: Iterable<readonly [string, string]>,
    private readonly memory: ContainerMemory,
  ) {
    this.#values = new Map(values);
    memory.take(this.#values.size * VARIABLE_BYTES);
  }

  get(name: string): string | undefined {
    return this.#values.get(name);
  }

  set(name: string, value: string): void {
    const bytes = VARIABLE_BYTES + name.length + value.length;
    this.memory.take(bytes - (this.#taken.get(name) ?? 0));
    this.#taken.set(name, bytes);
    this.#values.set(name, detached(value));
  }

  delete(name: string): void {
    this.#values.delete(name);
    this.memory.give(this.#taken.get(name) ?? 0);
    this.#taken.delete(name);
  }

  [Symbol.iterator](): IterableIterator<[string, string]> {
    return this.#values.entries();
  }
}
