import type { Clock } from "../../../base/time/clock.js";
import { FileStore } from "../files/file-store.js";
import { Budget } from "../limits/budget.js";
import { type LimitedContainer, type ServerLimits, takeFiles } from "../limits/server-limits.js";

/** The emptyDirs of a pod, by name. Their bytes count with the files of containers; the pod is evicted that has most of them. */
export class PodVolumes implements LimitedContainer {
  readonly memoryBytes = 0;
  readonly #stores = new Map<string, FileStore>();
  readonly #files: Budget;

  constructor(
    private readonly clock: Clock,
    private readonly server: ServerLimits,
    /** Called when the pod is to be evicted, with how many bytes it had. */
    private readonly evict: (bytes: number) => void,
  ) {
    this.#files = new Budget(() => Number.POSITIVE_INFINITY, server.files);
    server.users.add(this);
  }

  get filesBytes(): number {
    return this.#files.used;
  }

  /** Made when the first container opens it. `capacity` in bytes. */
  store(name: string, capacity = Number.POSITIVE_INFINITY): FileStore {
    const known = this.#stores.get(name);
    if (known !== undefined) return known;
    const space = {
      take: (bytes: number) => takeFiles(this.#files, this.server, this, bytes),
      give: (bytes: number) => this.#files.give(bytes),
    };
    const store = new FileStore({ clock: this.clock, capacity, space });
    store.root.mode = 0o777;
    this.#stores.set(name, store);
    return store;
  }

  /** How many bytes a volume has; undefined where no container has opened it. */
  bytesOf(name: string): number | undefined {
    return this.#stores.get(name)?.used;
  }

  outOfMemory(): void {
    // It holds none.
  }

  outOfDisk(): void {
    this.evict(this.filesBytes);
    this.close();
  }

  /** Drops all bytes. */
  close(): void {
    for (const store of this.#stores.values()) store.close();
    this.#files.close();
    this.server.users.delete(this);
  }
}
