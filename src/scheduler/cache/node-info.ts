import type { Node, Taint } from "../../api/types/core/v1.js";
import type { Labels } from "../../machinery/selectors/label-selector.js";
import type { AffinityTerms } from "./affinity-terms.js";
import { UsedPorts } from "./host-ports.js";
import type { PodInfo } from "./pod-info.js";
import { addResourceList, addResources, copyResources, noResources, type Resources } from "./resources.js";

const NO_LABELS: Labels = Object.freeze({});
let generations = 0;

/** A node with its pods, assumed ones among them, and the sums over them. */
export class NodeInfo {
  /** The index of the node in arrays of its cache: small, and no other node has it; -1 for a copy. */
  slot = -1;
  name = "";
  labels: Labels = NO_LABELS;
  taints: readonly Taint[] = [];
  isUnschedulable = false;
  /** Images by name, with their size in bytes. */
  images: ReadonlyMap<string, number> = new Map();
  allocatable: Resources = noResources();
  requested: Resources = noResources();
  nonZeroMilliCpu = 0;
  nonZeroMemory = 0;
  readonly pods = new Map<string, PodInfo>();
  /** The affinity of its pods, and how many have each. */
  readonly affinities = new Map<AffinityTerms, number>();
  /** Those of them with required anti-affinity. */
  readonly requiredAntiAffinities = new Map<AffinityTerms, number>();
  usedPorts = new UsedPorts();
  /** How many pods use each claim. */
  readonly claims = new Map<string, number>();
  /** Grows with each change of any node: equal generations mean equal content. */
  generation = ++generations;
  /** Undefined while pods are known to be on a node that the scheduler has not seen, or no longer sees. */
  #node: Node | undefined;

  get node(): Node | undefined {
    return this.#node;
  }

  setNode(node: Node): void {
    this.#node = node;
    this.name = node.metadata?.name ?? "";
    this.labels = node.metadata?.labels ?? NO_LABELS;
    this.taints = node.spec?.taints ?? [];
    this.isUnschedulable = node.spec?.unschedulable === true;
    this.allocatable = noResources();
    addResourceList(this.allocatable, node.status?.allocatable);
    const images = new Map<string, number>();
    for (const { names, sizeBytes } of node.status?.images ?? []) {
      for (const image of names ?? []) images.set(image, Number(sizeBytes ?? 0));
    }
    this.images = images;
    this.generation = ++generations;
  }

  removeNode(): void {
    this.#node = undefined;
    this.generation = ++generations;
  }

  addPod(info: PodInfo): void {
    this.pods.set(info.uid, info);
    for (const port of info.ports) this.usedPorts.add(port);
    this.#count(info, 1);
  }

  /** Removes what was added for the pod of that uid. */
  removePod(uid: string): void {
    const info = this.pods.get(uid);
    if (info === undefined) return;
    this.pods.delete(uid);
    for (const port of info.ports) this.usedPorts.remove(port);
    this.#count(info, -1);
  }

  /** A copy that pods can be tried on. */
  clone(): NodeInfo {
    const copy = new NodeInfo();
    copy.#node = this.#node;
    copy.name = this.name;
    copy.labels = this.labels;
    copy.taints = this.taints;
    copy.isUnschedulable = this.isUnschedulable;
    copy.images = this.images;
    copy.allocatable = this.allocatable;
    copy.requested = copyResources(this.requested);
    copy.nonZeroMilliCpu = this.nonZeroMilliCpu;
    copy.nonZeroMemory = this.nonZeroMemory;
    for (const [uid, info] of this.pods) copy.pods.set(uid, info);
    for (const [terms, count] of this.affinities) copy.affinities.set(terms, count);
    for (const [terms, count] of this.requiredAntiAffinities) copy.requiredAntiAffinities.set(terms, count);
    for (const [claim, count] of this.claims) copy.claims.set(claim, count);
    copy.usedPorts = this.usedPorts.clone();
    return copy;
  }

  #count(info: PodInfo, sign: 1 | -1): void {
    addResources(this.requested, info.requests, sign);
    this.nonZeroMilliCpu += sign * info.nonZeroMilliCpu;
    this.nonZeroMemory += sign * info.nonZeroMemory;
    for (const claim of info.claims) tally(this.claims, claim, sign);
    if (info.hasAffinity) tally(this.affinities, info.affinity, sign);
    if (info.affinity.requiredAntiAffinity.length > 0) tally(this.requiredAntiAffinities, info.affinity, sign);
    this.generation = ++generations;
  }
}

function tally<K>(counts: Map<K, number>, key: K, sign: 1 | -1): void {
  const count = (counts.get(key) ?? 0) + sign;
  if (count > 0) counts.set(key, count);
  else counts.delete(key);
}
