import type { NodeInfo } from "../../cache/node-info.js";
import type { PodInfo } from "../../cache/pod-info.js";

/** A resource of which a node has too little. */
export interface Insufficiency {
  /** "Insufficient cpu", "Too many pods". */
  readonly reason: string;
  /** The whole node would not be enough: removing pods cannot help. */
  readonly isUnresolvable: boolean;
}

const NONE: readonly Insufficiency[] = [];

/** What the node lacks for the pod; resources that `ignores` names do not count. */
export function insufficiencies(
  { requests }: PodInfo,
  { allocatable, requested, pods }: Pick<NodeInfo, "allocatable" | "requested" | "pods">,
  ignores: (resource: string) => boolean,
): readonly Insufficiency[] {
  let found: Insufficiency[] | undefined;
  const add = (reason: string, isUnresolvable: boolean): void => {
    (found ??= []).push({ reason, isUnresolvable });
  };
  if (pods.size + 1 > allocatable.pods) add("Too many pods", false);
  const { milliCpu, memory, ephemeralStorage, scalars } = requests;
  if (milliCpu > 0 && milliCpu > allocatable.milliCpu - requested.milliCpu) {
    add("Insufficient cpu", milliCpu > allocatable.milliCpu);
  }
  if (memory > 0 && memory > allocatable.memory - requested.memory) {
    add("Insufficient memory", memory > allocatable.memory);
  }
  if (ephemeralStorage > 0 && ephemeralStorage > allocatable.ephemeralStorage - requested.ephemeralStorage) {
    add("Insufficient ephemeral-storage", ephemeralStorage > allocatable.ephemeralStorage);
  }
  if (scalars !== undefined) {
    for (const [name, amount] of scalars) {
      if (amount === 0 || ignores(name)) continue;
      const capacity = allocatable.scalars?.get(name) ?? 0;
      const free = capacity - (requested.scalars?.get(name) ?? 0);
      if (amount > free) add(`Insufficient ${name}`, amount > capacity);
    }
  }
  return found ?? NONE;
}
