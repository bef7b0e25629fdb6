import type { Clock } from "../../../base/time/clock.js";
import { FileStore } from "../files/file-store.js";
import { processLimits, type ServerLimits } from "../limits/server-limits.js";

/** The volumes of a node that outlive its pods. */
export interface NodeVolumes {
  /** The bytes of a PersistentVolume, by its uid; none yet where no pod has mounted it. `capacity` in bytes. */
  persistent(uid: string, capacity: number): FileStore;
  /** The node's own files, which pods see by hostPath; none of them are the machine's. */
  host(): FileStore;
}

export interface KeptVolumesOptions {
  readonly clock: Clock;
  /** Default: the limits of this process. */
  readonly limits?: ServerLimits;
  /** Called when the first PersistentVolume gets bytes. */
  readonly onFirst?: () => void;
}

/**
 * The bytes of volumes that outlive pods, in memory: of PersistentVolumes, which all nodes share, and of the folders of each node. They count
 * against one sum; what does not fit into it has no space left on its device.
 */
export class KeptVolumes {
  readonly #persistent = new Map<string, FileStore>();
  readonly #hosts = new Map<string, FileStore>();

  constructor(private readonly options: KeptVolumesOptions) {}

  /** The uids of the PersistentVolumes that have bytes. */
  get uids(): readonly string[] {
    return [...this.#persistent.keys()];
  }

  ofNode(node: string): NodeVolumes {
    return {
      persistent: (uid, capacity) => this.#persistentStore(uid, capacity),
      host: () => storeIn(this.#hosts, node, () => this.#store(Number.POSITIVE_INFINITY)),
    };
  }

  /** The PersistentVolume has another capacity now, in bytes. */
  resize(uid: string, capacity: number): void {
    const store = this.#persistent.get(uid);
    if (store !== undefined) store.capacity = capacity;
  }

  /** The PersistentVolume is gone, and so are its bytes. */
  drop(uid: string): void {
    this.#persistent.get(uid)?.close();
    this.#persistent.delete(uid);
  }

  /** Drops all bytes. */
  close(): void {
    for (const store of [...this.#persistent.values(), ...this.#hosts.values()]) store.close();
    this.#persistent.clear();
    this.#hosts.clear();
  }

  #persistentStore(uid: string, capacity: number): FileStore {
    const isFirst = this.#persistent.size === 0;
    const store = storeIn(this.#persistent, uid, () => this.#store(capacity));
    if (isFirst) this.options.onFirst?.();
    return store;
  }

  #store(capacity: number): FileStore {
    const { clock, limits = processLimits } = this.options;
    const { volumes } = limits;
    const space = {
      take: (bytes: number) => volumes.take(bytes) === undefined,
      give: (bytes: number) => volumes.give(bytes),
    };
    const store = new FileStore({ clock, capacity, space });
    store.root.mode = 0o777;
    return store;
  }
}

function storeIn(stores: Map<string, FileStore>, key: string, make: () => FileStore): FileStore {
  const store = stores.get(key) ?? make();
  stores.set(key, store);
  return store;
}
