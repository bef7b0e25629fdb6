import type { OwnerReference } from "../../machinery/meta/object.js";
import type { ObjectIdentity } from "./object-reference.js";

const NO_OWNERS: readonly OwnerReference[] = [];
/** From so many on they are found by a map. */
const MANY_OWNERS = 16;
const NO_DEPENDENTS: ReadonlySet<GraphNode> = new Set();

/** An object in the graph of owners and dependents. */
export class GraphNode {
  #owners = NO_OWNERS;
  /** The owners of an object that has many. */
  #ownersByUid: ReadonlyMap<string, readonly OwnerReference[]> | undefined;
  /** Most objects have no dependents. */
  #dependents: Set<GraphNode> | undefined;
  /** Known only from an owner reference: no event has reported the object itself yet. */
  virtual = false;
  beingDeleted = false;
  /** Being deleted in the foreground: it goes when its blocking dependents are gone. */
  deletingDependents = false;
  /** What the last change of the object said, so that a new state is noticed once. */
  waitsForOrphaning = false;
  waitsForDependents = false;

  constructor(public identity: ObjectIdentity) {}

  get owners(): readonly OwnerReference[] {
    return this.#owners;
  }

  set owners(owners: readonly OwnerReference[]) {
    this.#owners = owners;
    this.#ownersByUid = undefined;
  }

  /** The references to the owner of this uid: none, one, or several that differ in the rest. */
  ownersOf(uid: string): readonly OwnerReference[] {
    if (this.#owners.length < MANY_OWNERS) return this.#owners.filter((owner) => owner.uid === uid);
    this.#ownersByUid ??= byUid(this.#owners);
    return this.#ownersByUid.get(uid) ?? NO_OWNERS;
  }

  /** Objects that name this one as their owner, whether rightly or not. */
  get dependents(): ReadonlySet<GraphNode> {
    return this.#dependents ?? NO_DEPENDENTS;
  }

  addDependent(node: GraphNode): void {
    this.#dependents ??= new Set();
    this.#dependents.add(node);
  }

  removeDependent(node: GraphNode): void {
    this.#dependents?.delete(node);
    if (this.#dependents?.size === 0) this.#dependents = undefined;
  }

  /** Dependents that do not let the object go before they are gone themselves. */
  blockingDependents(): readonly GraphNode[] {
    const { uid } = this.identity;
    return [...this.dependents].filter((dependent) =>
      dependent.ownersOf(uid).some(({ blockOwnerDeletion }) => blockOwnerDeletion === true),
    );
  }
}

function byUid(owners: readonly OwnerReference[]): ReadonlyMap<string, readonly OwnerReference[]> {
  const found = new Map<string, OwnerReference[]>();
  for (const owner of owners) {
    const same = found.get(owner.uid);
    if (same === undefined) found.set(owner.uid, [owner]);
    else same.push(owner);
  }
  return found;
}
