import type { Node } from "../../api/types/core/v1.js";
import { NodeInfo } from "./node-info.js";
import type { PodInfo } from "./pod-info.js";
import type { Labels } from "../../machinery/selectors/label-selector.js";

interface CachedPod {
  info: PodInfo;
  node: string;
  /** The pod was given the node here, and the API has not shown it there yet. */
  isAssumed: boolean;
}

/** The nodes as plugins may read them; they do not change during a cycle. */
export interface NodeLister {
  /** All nodes, the zones in turn. */
  list(): readonly NodeInfo[];
  get(name: string): NodeInfo | undefined;
  /** Those with pods that have pod affinity or anti-affinity. */
  withAffinity(): Iterable<NodeInfo>;
  /** Those with pods that have required anti-affinity. */
  withRequiredAntiAffinity(): Iterable<NodeInfo>;
  /** How many nodes have an image. */
  nodesWithImage(image: string): number;
  /** Whether the affinity of a pod on some node selects namespaces by their labels. */
  readonly namespacesAreSelected: boolean;
  /** Whether pods on nodes have a priority other than 0. */
  readonly prioritiesDiffer: boolean;
}

/**
 * The nodes and the pods on them, as the API shows them and as the scheduler has decided since (assumed pods). A cycle is synchronous, so it
 * reads the nodes themselves: there is no snapshot to make.
 */
export class SchedulerCache implements NodeLister {
  readonly #nodes = new Map<string, NodeInfo>();
  readonly #pods = new Map<string, CachedPod>();
  readonly #withAffinity = new Set<NodeInfo>();
  readonly #withRequiredAntiAffinity = new Set<NodeInfo>();
  readonly #imageNodes = new Map<string, number>();
  #slots = 0;
  /** How many pods on nodes select namespaces by their labels. */
  #selectingNamespaces = 0;
  /** How many have a priority other than 0. */
  #prioritized = 0;
  /** Undefined after a node came, went or changed its zone. */
  #ordered: readonly NodeInfo[] | undefined;

  list(): readonly NodeInfo[] {
    if (this.#ordered === undefined) {
      const known = [...this.#nodes.values()].filter(({ node }) => node !== undefined);
      this.#ordered = interleaveZones(known);
    }
    return this.#ordered;
  }

  get(name: string): NodeInfo | undefined {
    const info = this.#nodes.get(name);
    return info?.node === undefined ? undefined : info;
  }

  withAffinity(): Iterable<NodeInfo> {
    return this.#withAffinity;
  }

  withRequiredAntiAffinity(): Iterable<NodeInfo> {
    return this.#withRequiredAntiAffinity;
  }

  nodesWithImage(image: string): number {
    return this.#imageNodes.get(image) ?? 0;
  }

  get namespacesAreSelected(): boolean {
    return this.#selectingNamespaces > 0;
  }

  get prioritiesDiffer(): boolean {
    return this.#prioritized > 0;
  }

  setNode(node: Node): void {
    const info = this.#nodeInfo(node.metadata?.name ?? "");
    const isListed = info.node !== undefined;
    const zone = zoneOf(info.labels);
    this.#countImages(info, -1);
    info.setNode(node);
    this.#countImages(info, 1);
    if (!isListed || zoneOf(info.labels) !== zone) this.#ordered = undefined;
    // Pods may have been seen on it before it was.
    this.#updateSets(info);
  }

  /** Pods that are still on it are kept, for the node that may come back by the name. */
  removeNode(name: string): void {
    const info = this.#nodes.get(name);
    if (info === undefined) return;
    this.#countImages(info, -1);
    info.removeNode();
    this.#ordered = undefined;
    if (info.pods.size === 0) this.#nodes.delete(name);
    this.#updateSets(info);
  }

  /** Counts the pod to the node before the API shows it there. */
  assume(info: PodInfo, node: string): void {
    this.#place(info, node, true);
  }

  /** Takes an assumed pod from its node: it was not bound. False when the pod is not assumed. */
  forget(uid: string): boolean {
    if (!this.isAssumed(uid)) return false;
    this.removePod(uid);
    return true;
  }

  isAssumed(uid: string): boolean {
    return this.#pods.get(uid)?.isAssumed === true;
  }

  /** The node that a pod counts to; undefined for a pod that is on none. */
  nodeOf(uid: string): string | undefined {
    return this.#pods.get(uid)?.node;
  }

  /** Takes the state of a pod that the API shows on a node. */
  setPod(info: PodInfo, node: string): void {
    this.#place(info, node, false);
  }

  removePod(uid: string): void {
    const known = this.#pods.get(uid);
    if (known === undefined) return;
    this.#pods.delete(uid);
    this.#tally(known.info, -1);
    const node = this.#nodes.get(known.node);
    if (node === undefined) return;
    node.removePod(uid);
    if (node.node === undefined && node.pods.size === 0) this.#nodes.delete(known.node);
    this.#updateSets(node);
  }

  #place(info: PodInfo, name: string, isAssumed: boolean): void {
    const known = this.#pods.get(info.uid);
    if (known !== undefined && known.node !== name) this.removePod(info.uid);
    const node = this.#nodeInfo(name);
    if (known?.node === name) {
      node.removePod(info.uid);
      this.#tally(known.info, -1);
    }
    node.addPod(info);
    this.#tally(info, 1);
    this.#pods.set(info.uid, { info, node: name, isAssumed });
    this.#updateSets(node);
  }

  #tally({ selectsNamespaces, priority }: PodInfo, sign: 1 | -1): void {
    if (selectsNamespaces) this.#selectingNamespaces += sign;
    if (priority !== 0) this.#prioritized += sign;
  }

  #nodeInfo(name: string): NodeInfo {
    let node = this.#nodes.get(name);
    if (node === undefined) {
      node = new NodeInfo();
      node.name = name;
      node.slot = this.#slots++;
      this.#nodes.set(name, node);
    }
    return node;
  }

  #updateSets(node: NodeInfo): void {
    const isListed = node.node !== undefined;
    put(this.#withAffinity, node, isListed && node.affinities.size > 0);
    put(this.#withRequiredAntiAffinity, node, isListed && node.requiredAntiAffinities.size > 0);
  }

  #countImages(node: NodeInfo, sign: 1 | -1): void {
    if (node.node === undefined) return;
    for (const image of node.images.keys()) {
      const count = (this.#imageNodes.get(image) ?? 0) + sign;
      if (count > 0) this.#imageNodes.set(image, count);
      else this.#imageNodes.delete(image);
    }
  }
}

function put<T>(set: Set<T>, item: T, belongs: boolean): void {
  if (belongs) set.add(item);
  else set.delete(item);
}

/** The region and zone of a node: "" for one that is in none. */
function zoneOf(labels: Labels): string {
  const zone = labels["topology.kubernetes.io/zone"] ?? labels["failure-domain.beta.kubernetes.io/zone"] ?? "";
  const region = labels["topology.kubernetes.io/region"] ?? labels["failure-domain.beta.kubernetes.io/region"] ?? "";
  return zone === "" && region === "" ? "" : `${region}:\0:${zone}`;
}

/** Sorts nodes so that zones alternate: the first nodes that a cycle looks at are of all zones. */
export function interleaveZones<T extends { readonly labels: Labels }>(nodes: Iterable<T>): T[] {
  const zones = new Map<string, T[]>();
  for (const node of nodes) {
    const zone = zoneOf(node.labels);
    const members = zones.get(zone);
    if (members === undefined) zones.set(zone, [node]);
    else members.push(node);
  }
  const groups = [...zones.values()];
  const longest = Math.max(0, ...groups.map(({ length }) => length));
  const ordered: T[] = [];
  for (let turn = 0; turn < longest; turn++) {
    for (const group of groups) {
      const node = group[turn];
      if (node !== undefined) ordered.push(node);
    }
  }
  return ordered;
}
