import { OutOfMemoryError } from "./errors.js";

/** Takes bytes of a container's memory, or gives them back. Throws where the container has none left and is being killed. */
export interface ContainerMemory {
  take(bytes: number): void;
  give(bytes: number): void;
}

/** The bytes of a container's memory that one program or shell holds. */
export class MemoryShare implements ContainerMemory {
  #held = 0;
  #isReleased = false;

  constructor(private readonly memory: ContainerMemory) {}

  /** A mark for {@link giveBackTo}. */
  get held(): number {
    return this.#held;
  }

  take(bytes: number): void {
    if (this.#isReleased) throw new OutOfMemoryError();
    this.memory.take(bytes);
    this.#held += bytes;
  }

  give(bytes: number): void {
    if (this.#isReleased) return;
    this.memory.give(bytes);
    this.#held -= bytes;
  }

  /** Gives back what was taken since `held` was this. */
  giveBackTo(held: number): void {
    if (this.#held > held) this.give(this.#held - held);
  }

  /** Gives everything back, for good: its program is over and may take no more. */
  release(): void {
    this.giveBackTo(0);
    this.#isReleased = true;
  }
}
