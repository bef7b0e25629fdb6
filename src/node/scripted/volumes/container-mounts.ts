import { dictionary } from "../../../base/collections/dictionary.js";
import { nextSlice, sliceIsSpent } from "../../../base/async/time-slice.js";
import { type ContainerSpec, type HostVolume, RuntimeError, type VolumeMount } from "../../container-runtime.js";
import { FileError } from "../files/file-error.js";
import { FileStore } from "../files/file-store.js";
import { FileSystem, type MountedTree, normalPath } from "../files/file-system.js";
import type { FileNode } from "../files/node.js";
import type { NodeVolumes } from "./kept-volumes.js";
import type { Clock } from "../../../base/time/clock.js";
import { Budget } from "../limits/budget.js";
import { type LimitedContainer, type ServerLimits, takeFiles } from "../limits/server-limits.js";

/** The stores of a container's volumes. */
export interface VolumeStores {
  readonly pod: () => PodVolumes;
  readonly node: NodeVolumes;
}

/** So many mounts, or files of a mount, are made at once: the few of most pods take less time than others' turns. */
const AT_ONCE = 16;

/** Whether others have their turn before this one is made. */
const givesWay = (index: number): boolean => index % AT_ONCE === AT_ONCE - 1 && sliceIsSpent();

/** What of a volume's store is seen. */
type Tree = Omit<MountedTree, "readOnly">;

/** Mounts the volumes of a container. It copies nothing: the mounted files are the volume's own. */
export class ContainerMounts {
  /** Undefined where nothing had to be made. */
  #prepared: Map<VolumeMount, Tree> | undefined;

  constructor(
    private readonly spec: Pick<ContainerSpec, "name" | "mounts">,
    private readonly stores: VolumeStores,
  ) {}

  /**
   * Makes what a kubelet makes in the volumes before the container starts. Throws a {@link RuntimeError} for a subPath that cannot be made, and for a
   * hostPath that is of another type.
   */
  async prepare(): Promise<void> {
    for (const [index, mount] of this.spec.mounts.entries()) {
      if (givesWay(index)) await nextSlice(undefined, this);
      const { volume, subPath, path } = mount;
      if (normalPath("/", path) === "/")
        throw new RuntimeError(
          "CreateContainerError",
          `invalid mount of volume ${mount.name}: destination can't be '/'`,
        );
      if (volume.kind === "files" || (volume.kind !== "host" && subPath === "")) continue;
      this.#prepared ??= new Map();
      this.#prepared.set(mount, this.#treeOf(mount));
    }
  }

  /** Mounts them all on a container's files. */
  async bind(files: FileSystem): Promise<void> {
    const filled = new Map<object, Tree>();
    // The folders above come first, in whichever order the pod has them.
    const depth = ({ path }: VolumeMount): number => normalPath("/", path).split("/").length;
    for (const [index, mount] of this.spec.mounts.toSorted((a, b) => depth(a) - depth(b)).entries()) {
      if (givesWay(index)) await nextSlice(undefined, this);
      const { volume, readOnly, path } = mount;
      let tree = this.#prepared?.get(mount);
      if (volume.kind === "files") {
        const whole = filled.get(volume) ?? (await filledTree(volume.files, files.store));
        filled.set(volume, whole);
        tree = this.#partOf(whole, mount);
      }
      files.bind(path, { ...(tree ?? this.#treeOf(mount)), readOnly });
    }
  }

  #treeOf(mount: VolumeMount): Tree {
    const { volume, name } = mount;
    if (volume.kind === "files") throw new Error("its files are made when they are mounted");
    if (volume.kind === "host") return this.#partOf(hostTree(volume, name, this.stores.node.host()), mount);
    const store =
      volume.kind === "pod"
        ? this.stores.pod().store(name, volume.capacity)
        : this.stores.node.persistent(volume.uid, volume.capacity);
    return this.#partOf({ store, root: store.root }, mount);
  }

  /** What the subPath of a mount names; a folder is made where there is nothing. */
  #partOf({ store, root }: Tree, { name, subPath }: VolumeMount): Tree {
    if (subPath === "") return { store, root };
    const of = `for volumeMount ${JSON.stringify(name)} of container ${JSON.stringify(this.spec.name)}`;
    if (root.kind !== "directory")
      throw new RuntimeError("CreateContainerConfigError", `failed to prepare subPath ${of}`);
    // Links in it lead nowhere else: the volume's root is theirs.
    const inside = new FileSystem({ store, root });
    try {
      const found = inside.look(subPath);
      if (found !== undefined) return { store, root: found };
      inside.makeDirectory(subPath, { recursive: true });
      return { store, root: inside.find(subPath) };
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new RuntimeError("CreateContainerConfigError", `failed to create subPath directory ${of}`);
    }
  }
}

/** The files of a ConfigMap or the like. Their bytes are there once, and their names count as the container's. */
async function filledTree(
  ask: () => Promise<ReadonlyMap<string, { readonly content: Uint8Array; readonly mode: number }>>,
  store: FileStore,
): Promise<Tree> {
  const root = store.directory(0o777);
  const inside = new FileSystem({ store, root });
  let made = 0;
  for (const [path, { content, mode }] of await ask()) {
    if (givesWay(made++)) await nextSlice(undefined, inside);
    inside.put(path, content, { isShared: true, mode });
  }
  return { store, root };
}

/** What a file of the node must be, as the kubelet says it. */
const FILE_TYPES: Readonly<Record<string, string>> = dictionary({
  File: "a file",
  FileOrCreate: "a file",
  Socket: "a socket file",
  CharDevice: "a character device",
  BlockDevice: "a block device",
});

/** A file or folder of a node: what a pod expects on it is there, and empty. */
function hostTree({ path, type }: HostVolume, name: string, store: FileStore): Tree {
  const host = new FileSystem({ store });
  const refuse = (problem: string): never => {
    throw new RuntimeError("FailedMount", `MountVolume.SetUp failed for volume ${JSON.stringify(name)} : ${problem}`);
  };
  const expected = FILE_TYPES[type];
  let found: FileNode | undefined = host.look(path);
  try {
    if (found === undefined) {
      if (expected === undefined) host.makeDirectory(path, { recursive: true });
      else host.put(path, "");
      found = host.find(path);
    }
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    return refuse(error.message.toLowerCase());
  }
  if (expected !== undefined && found.kind === "directory")
    refuse(`hostPath type check failed: ${path} is not ${expected}`);
  if (type.startsWith("Directory") && found.kind !== "directory")
    refuse(`hostPath type check failed: ${path} is not a directory`);
  return { store, root: found };
}

/**
 * The emptyDirs of a pod, by name. Their bytes count with the files of containers; where the limit is reached, the pod with the
 * most bytes is evicted.
 */
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
