import type { StorageFlags } from "./storage-flag.js";

type Storage = StorageFlags["storage"];

const OBJECTS: Readonly<Record<Storage, string>> = {
  memory: "its objects are lost then",
  disk: "its objects stay on disk",
  etcd: "its objects stay in etcd",
};

/** What ends a cluster that is served in the foreground of a terminal, and what is left of it. */
export const howStartEnds = (storage: Storage): string =>
  `Ctrl-C stops it: ${OBJECTS[storage]}. With --detach it runs in the background.`;

/** The line by which `cluster run` tells the user what ends its cluster, and which objects the storage then keeps. "disk" is a folder that `cluster run` removes. */
export const howRunEnds = (storage: Storage): string =>
  `The cluster ends with the command, which gets Ctrl-C: ${OBJECTS[storage === "disk" ? "memory" : storage]}.`;
