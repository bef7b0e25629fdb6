import type { PodSpec } from "../../../api/types/core/v1.js";
import type { FieldsOf } from "../../../machinery/meta/received.js";
import { dictionary } from "../../../base/collections/dictionary.js";
import type { Steps } from "../../../base/async/steps.js";
import { object, text } from "../../../machinery/meta/access.js";
import type { KubeObject } from "../../../machinery/meta/object.js";
import { type CachedObject, CachedObjects } from "../cached-objects.js";
import { keyOf, referencesOf, boundVolume } from "./references.js";

/** A resource whose objects become edges of the graph. */
export interface GraphResource {
  readonly group: string;
  readonly resource: string;
}

const PODS: GraphResource = { group: "", resource: "pods" };
const VOLUMES: GraphResource = { group: "", resource: "persistentvolumes" };
const ATTACHMENTS: GraphResource = { group: "storage.k8s.io", resource: "volumeattachments" };
const SLICES: GraphResource = { group: "resource.k8s.io", resource: "resourceslices" };
const CERTIFICATES: GraphResource = { group: "certificates.k8s.io", resource: "podcertificaterequests" };

/** What the graph must know for a question about an object of a resource. */
const NEEDED: Readonly<Record<string, readonly GraphResource[]>> = dictionary({
  secrets: [PODS, VOLUMES],
  persistentvolumes: [PODS, VOLUMES],
  volumeattachments: [ATTACHMENTS],
  resourceslices: [SLICES],
  podcertificaterequests: [CERTIFICATES],
});

export const neededFor = (resource: string): readonly GraphResource[] => NEEDED[resource] ?? [PODS];

/**
 * The graph of objects that a kubelet may read because its node's pods, volumes and attachments refer to them: edges lead from an
 * object to a node, from a secret to a volume's claim, and from a volume to its claim.
 */
export class NodeGraph {
  readonly #toNodes = new CountedEdges();
  readonly #toClaims = new CountedEdges();
  readonly #lists: ReadonlyMap<GraphResource, CachedObjects<Edges>> = new Map([
    [PODS, this.#followed(podEdges)],
    [VOLUMES, this.#followed(volumeEdges)],
    [ATTACHMENTS, this.#followed(nodeEdges(ATTACHMENTS))],
    [SLICES, this.#followed(nodeEdges(SLICES))],
    [CERTIFICATES, this.#followed(nodeEdges(CERTIFICATES))],
  ]);

  /** What to do in slices of the event loop before {@link follow}; undefined where it is little. */
  prepare(resource: GraphResource, items: readonly CachedObject[]): Steps<void> | undefined {
    return this.#lists.get(resource)?.prepare(items);
  }

  /** The objects of a resource as they are now. */
  follow(resource: GraphResource, items: readonly CachedObject[]): void {
    this.#lists.get(resource)?.follow(items);
  }

  /** Whether there is a path from an object to a node. */
  leads(from: string, node: string): boolean {
    if (this.#toNodes.has(from, node)) return true;
    for (const claim of this.#toClaims.of(from)) if (this.#toNodes.has(claim, node)) return true;
    return false;
  }

  #followed(edgesOf: (object: KubeObject) => Edges): CachedObjects<Edges> {
    return new CachedObjects(edgesOf, {
      add: (edges) => {
        for (const [from, to] of edges.toNodes) this.#toNodes.add(from, to);
        for (const [from, to] of edges.toClaims) this.#toClaims.add(from, to);
      },
      remove: (edges) => {
        for (const [from, to] of edges.toNodes) this.#toNodes.remove(from, to);
        for (const [from, to] of edges.toClaims) this.#toClaims.remove(from, to);
      },
    });
  }
}

type Edge = readonly [from: string, to: string];

interface Edges {
  readonly toNodes: readonly Edge[];
  readonly toClaims: readonly Edge[];
}

const NONE: Edges = { toNodes: [], toClaims: [] };

/** A pod that is bound to no node makes no edges. */
function podEdges(pod: KubeObject): Edges {
  const { nodeName }: FieldsOf<PodSpec> = object(pod["spec"]);
  const node = text(nodeName);
  if (node === "") return NONE;
  return { toNodes: referencesOf(pod).map((key) => [key, node]), toClaims: [] };
}

function volumeEdges(volume: KubeObject): Edges {
  const bound = boundVolume(volume);
  if (bound === undefined) return NONE;
  return { toNodes: [], toClaims: [bound.volume, ...bound.secrets].map((key) => [key, bound.claim]) };
}

/** Edges of objects whose spec names their node. */
const nodeEdges =
  ({ resource }: GraphResource) =>
  ({ metadata, spec }: KubeObject): Edges => {
    const node = text(object(spec)["nodeName"]);
    if (node === "") return NONE;
    const { name = "", namespace = "" } = metadata ?? {};
    return { toNodes: [[keyOf(resource, namespace, name), node]], toClaims: [] };
  };

/** Edges between keys. An edge that several objects make is there until all of them are gone. */
class CountedEdges {
  readonly #from = new Map<string, Map<string, number>>();

  add(from: string, to: string): void {
    let edges = this.#from.get(from);
    if (edges === undefined) this.#from.set(from, (edges = new Map()));
    edges.set(to, (edges.get(to) ?? 0) + 1);
  }

  remove(from: string, to: string): void {
    const edges = this.#from.get(from);
    const count = edges?.get(to) ?? 0;
    if (count > 1) edges?.set(to, count - 1);
    else edges?.delete(to);
    if (edges?.size === 0) this.#from.delete(from);
  }

  has(from: string, to: string): boolean {
    return this.#from.get(from)?.has(to) === true;
  }

  of(from: string): Iterable<string> {
    return this.#from.get(from)?.keys() ?? [];
  }
}
