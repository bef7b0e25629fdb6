import type { ResourceLimits } from "../../container-runtime.js";
import { Budget } from "./budget.js";
import { ForkError, OutOfMemoryError } from "./errors.js";
import type { ContainerMemory } from "./memory-share.js";
import { greatestUser, type LimitedContainer, type ServerLimits, takeFiles } from "./server-limits.js";

/** The memory of a container whose pod sets no limit, in bytes. */
const DEFAULT_MEMORY = 64 * 1024 * 1024;
/** How many processes a container has at most; a kubelet has one limit for all pods as well (podPidsLimit). */
const MOST_PROCESSES = 512;

/** The budgets of one container: its own limits, and those of all containers of the process together. */
export class ContainerBudgets implements ContainerMemory {
  readonly #memory: Budget;
  readonly #files: Budget;
  readonly #processes = new Budget(() => MOST_PROCESSES);
  /** Of the processes those that count in the server's. */
  readonly #shared: Budget;
  #isOver = false;

  constructor(
    private readonly container: LimitedContainer,
    private readonly server: ServerLimits,
    limits: () => ResourceLimits,
    /** False where the author of the image said how many bytes of files fit into the container. */
    countsFiles: boolean,
  ) {
    this.#memory = new Budget(() => limits().memoryBytes ?? DEFAULT_MEMORY, server.memory);
    this.#files = new Budget(() => Number.POSITIVE_INFINITY, countsFiles ? server.files : undefined);
    this.#shared = new Budget(() => Number.POSITIVE_INFINITY, server.processes);
    server.users.add(container);
  }

  get memoryBytes(): number {
    return this.#memory.used;
  }

  get filesBytes(): number {
    return this.#files.used;
  }

  /** Bytes of what programs hold. Where there are no more of them, the container ends, or the one that uses most. */
  take(bytes: number): void {
    if (this.#isOver) throw new OutOfMemoryError();
    for (let lacking = this.#memory.take(bytes); lacking !== undefined; lacking = this.#memory.take(bytes)) {
      const isOwn = lacking === this.#memory;
      const user = (isOwn ? undefined : greatestUser(this.server, (one) => one.memoryBytes)) ?? this.container;
      user.outOfMemory();
      if (user === this.container) throw new OutOfMemoryError();
    }
  }

  give(bytes: number): void {
    this.#memory.give(bytes);
  }

  /** Bytes of files. Where there are no more of them, the container that uses most ends; false where that is this one. */
  takeFiles(bytes: number): boolean {
    return takeFiles(this.#files, this.server, this.container, bytes);
  }

  giveFiles(bytes: number): void {
    this.#files.give(bytes);
  }

  /**
   * The place of a process; the answer gives it back. Throws a {@link ForkError} where none is left. The first process counts in the container alone, so
   * that as many containers run as there are pods.
   */
  fork(): () => void {
    const isFirst = this.#processes.used === 0;
    if (this.#isOver || this.#processes.take(1) !== undefined) throw new ForkError();
    if (!isFirst && this.#shared.take(1) !== undefined) {
      this.#processes.give(1);
      throw new ForkError();
    }
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#processes.give(1);
      if (!isFirst) this.#shared.give(1);
    };
  }

  /** The container has ended: its programs may take no more. Its files may still be read. */
  end(): void {
    this.#isOver = true;
    this.#memory.close();
    this.#processes.close();
    this.#shared.close();
  }

  /** Nothing of the container is left. */
  close(): void {
    this.end();
    this.#files.close();
    this.server.users.delete(this.container);
  }
}
