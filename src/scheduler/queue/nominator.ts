import type { PodInfo } from "../cache/pod-info.js";

/** The waiting pods with the nodes that they were nominated to: filters count them on their nodes for pods of no higher priority. */
export class Nominator {
  readonly #byNode = new Map<string, Map<string, PodInfo>>();
  readonly #nodeOf = new Map<string, string>();

  /** Nominates a pod to `node` in the place of any other; "" takes its nomination away. */
  set(info: PodInfo, node: string): void {
    this.delete(info.uid);
    if (node === "") return;
    let pods = this.#byNode.get(node);
    if (pods === undefined) this.#byNode.set(node, (pods = new Map()));
    pods.set(info.uid, info);
    this.#nodeOf.set(info.uid, node);
  }

  delete(uid: string): void {
    const node = this.#nodeOf.get(uid);
    if (node === undefined) return;
    this.#nodeOf.delete(uid);
    const pods = this.#byNode.get(node);
    pods?.delete(uid);
    if (pods?.size === 0) this.#byNode.delete(node);
  }

  nodeOf(uid: string): string | undefined {
    return this.#nodeOf.get(uid);
  }

  /** The pods that are nominated to a node. */
  on(node: string): readonly PodInfo[] {
    const pods = this.#byNode.get(node);
    return pods === undefined ? NONE : [...pods.values()];
  }

  /** Whether there are nominated pods at all. */
  get isEmpty(): boolean {
    return this.#nodeOf.size === 0;
  }
}

const NONE: readonly PodInfo[] = [];
